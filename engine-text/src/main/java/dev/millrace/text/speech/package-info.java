/** Speech for models such as Whisper: log-mel spectrograms, WAV files, and the rules of the tokens. */
@NullMarked
package dev.millrace.text.speech;

import org.jspecify.annotations.NullMarked;
