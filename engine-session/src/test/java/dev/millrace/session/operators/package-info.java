/** Operators beyond ONNX's own, held against the runtime that defines them. */
@NullMarked
package dev.millrace.session.operators;

import org.jspecify.annotations.NullMarked;
