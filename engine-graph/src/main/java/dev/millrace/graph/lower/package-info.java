/**
 * Lowerings of composite operators, which other runtimes define or write into optimised models, to ONNX's own
 * operators.
 */
@NullMarked
package dev.millrace.graph.lower;

import org.jspecify.annotations.NullMarked;
