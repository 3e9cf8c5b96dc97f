/** Tests of the schemas. */
@NullMarked
package dev.millrace.graph.schema;

import org.jspecify.annotations.NullMarked;
