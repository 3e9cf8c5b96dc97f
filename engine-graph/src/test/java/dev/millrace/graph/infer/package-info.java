/** Tests of type and shape inference. */
@NullMarked
package dev.millrace.graph.infer;

import org.jspecify.annotations.NullMarked;
