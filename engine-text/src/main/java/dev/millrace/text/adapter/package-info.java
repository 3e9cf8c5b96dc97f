/** Files of low-rank adapters (LoRA). */
@NullMarked
package dev.millrace.text.adapter;

import org.jspecify.annotations.NullMarked;
