/**
 * Tests of what programs can tell of ONNX Runtime's API, which run over its jar and over this module's classes. Programs
 * dereference what is there, as these tests do.
 */
@NullUnmarked
package dev.millrace.onnxruntime.both;

import org.jspecify.annotations.NullUnmarked;
