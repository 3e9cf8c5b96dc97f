package dev.millrace.kotlin

import dev.millrace.pipelines.audio.VoiceDetector
import dev.millrace.pipelines.audio.VoiceOptions
import dev.millrace.pipelines.audio.VoiceSegment
import dev.millrace.pipelines.audio.WakeOptions
import dev.millrace.pipelines.audio.WakeScore
import dev.millrace.pipelines.audio.WakeWordDetector
import dev.millrace.session.Inference
import kotlinx.coroutines.flow.Flow

/** A detector of speech with Silero's model. */
public fun Inference.voiceDetector(options: VoiceOptions = VoiceOptions.defaults()): VoiceDetector =
    VoiceDetector.silero(this).options(options)

/** The segments of speech in samples at 16 kHz, each as soon as the silence behind it is long enough. */
public fun Flow<FloatArray>.segments(detector: VoiceDetector): Flow<VoiceSegment> = streamed { detector.segments(it) }

/** A detector of wake words: `wakeWords(mel, embedding, "hey jarvis" to jarvis)`. */
public fun wakeWords(
    mel: Inference,
    embedding: Inference,
    vararg words: Pair<String, Inference>,
    options: WakeOptions = WakeOptions.defaults(),
): WakeWordDetector = WakeWordDetector.of(mel, embedding, mapOf(*words)).options(options)

/** The wake words in samples at 16 kHz. */
public fun Flow<FloatArray>.detections(detector: WakeWordDetector): Flow<WakeScore> =
    streamed { detector.detections(it) }
