/** Operators that are made of ONNX's own: what other runtimes have in their domains, or write into optimised models. */
@NullMarked
package dev.millrace.graph.composite;

import org.jspecify.annotations.NullMarked;
