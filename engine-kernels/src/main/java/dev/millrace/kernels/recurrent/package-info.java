/** Recurrent layers: LSTM, GRU and the simple RNN over whole sequences. */
@NullMarked
package dev.millrace.kernels.recurrent;

import org.jspecify.annotations.NullMarked;
