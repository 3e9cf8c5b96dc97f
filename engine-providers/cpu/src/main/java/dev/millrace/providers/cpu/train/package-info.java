/** The optimiser steps of ai.onnx.preview.training. */
@NullMarked
package dev.millrace.providers.cpu.train;

import org.jspecify.annotations.NullMarked;
