/** Recurrent layers: LSTM and GRU over whole sequences. */
@NullMarked
package dev.millrace.kernels.recurrent;

import org.jspecify.annotations.NullMarked;
