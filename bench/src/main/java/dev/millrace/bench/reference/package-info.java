/** ONNX Runtime through its C interface, for types that its Java package does not support. */
@NullMarked
package dev.millrace.bench.reference;

import org.jspecify.annotations.NullMarked;
