/** Tests of contributed operators, beyond ONNX's own, against ONNX Runtime, which defines them. */
@NullMarked
package dev.millrace.session.operators;

import org.jspecify.annotations.NullMarked;
