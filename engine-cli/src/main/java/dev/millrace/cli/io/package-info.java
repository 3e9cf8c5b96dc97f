/** Reading and writing of tensors and other data: NumPy files, ONNX protobuf files, JSON, text on terminals. */
@NullMarked
package dev.millrace.cli.io;

import org.jspecify.annotations.NullMarked;
