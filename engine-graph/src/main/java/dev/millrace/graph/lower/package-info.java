/** Operators that are made of ONNX's own: what other runtimes have in their domains, or write into optimised models. */
@NullMarked
package dev.millrace.graph.lower;

import org.jspecify.annotations.NullMarked;
