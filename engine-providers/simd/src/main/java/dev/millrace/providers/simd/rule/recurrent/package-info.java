/** Rules of recurrent layers: RNN, GRU, LSTM. */
@NullMarked
package dev.millrace.providers.simd.rule.recurrent;

import org.jspecify.annotations.NullMarked;
