/** ONNX Runtime through its C interface, for types that its Java package does not support. */
@NullMarked
package dev.millrace.bench.peer;

import org.jspecify.annotations.NullMarked;
