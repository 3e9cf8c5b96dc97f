/** Type and shape inference: what every value of a graph is, before and after its input shapes are known. */
@NullMarked
package dev.millrace.graph.infer;

import org.jspecify.annotations.NullMarked;
