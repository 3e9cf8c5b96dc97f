/** Data of models and runs: element types, shapes, tensors, sequences, optionals and maps. */
@NullMarked
package dev.millrace.graph.tensor;

import org.jspecify.annotations.NullMarked;
