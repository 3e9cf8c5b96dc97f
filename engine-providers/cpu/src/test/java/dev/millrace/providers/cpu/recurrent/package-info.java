/** Tests of RNN, GRU and LSTM. */
@NullMarked
package dev.millrace.providers.cpu.recurrent;

import org.jspecify.annotations.NullMarked;
