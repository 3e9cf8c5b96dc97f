/** Programs over ONNX Runtime's API that run unchanged over both jars, each in a process of its own. */
@NullMarked
package dev.millrace.onnxruntime.programs;

import org.jspecify.annotations.NullMarked;
