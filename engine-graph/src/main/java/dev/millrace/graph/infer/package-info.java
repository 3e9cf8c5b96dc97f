/** Type and shape inference for every value of a graph, before and after the input shapes are known. */
@NullMarked
package dev.millrace.graph.infer;

import org.jspecify.annotations.NullMarked;
