/** Tests of the schemas. */
@NullMarked
package dev.millrace.graph.op;

import org.jspecify.annotations.NullMarked;
