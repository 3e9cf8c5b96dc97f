/** Data that flows: element types, shapes, tensors, sequences, optionals and maps. */
@NullMarked
package dev.millrace.graph.tensor;

import org.jspecify.annotations.NullMarked;
