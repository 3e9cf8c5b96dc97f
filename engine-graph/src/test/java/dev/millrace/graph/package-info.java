/** Tests of type and shape inference. */
@NullMarked
package dev.millrace.graph;

import org.jspecify.annotations.NullMarked;
