package dev.millrace.pipelines.audio;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Finds speech in sounds, by Silero VAD version 5. Frames of a sound follow each other, since each leaves a state to the next one;
 * different sounds run at the same time.
 */
public final class VoiceDetector implements Stage<AudioClip, List<VoiceSegment>> {
    /** The number of samples of a second. */
    public static final int RATE = 16000;

    private static final int FRAME = 512;
    /** The samples of the frame before that the model wants in front of a frame. */
    private static final int CONTEXT = 64;

    private static final Shape STATE = Shape.of(2, 1, 128);

    private final Inference inference;
    private final VoiceOptions options;

    private VoiceDetector(Inference inference, VoiceOptions options) {
        this.inference = inference;
        this.options = options;
    }

    /** Creates a detector around Silero's model, whose inputs are {@code input}, {@code state} and {@code sr}. */
    public static VoiceDetector silero(Inference inference) {
        return new VoiceDetector(StageArguments.require(inference, "inference"), VoiceOptions.defaults());
    }

    /** Returns this detector with other limits. */
    public VoiceDetector options(VoiceOptions other) {
        return new VoiceDetector(inference, StageArguments.require(other, "options"));
    }

    /** The way of one sound: its frames, the state that the last one left, and the segment under way. */
    private final class Listening implements AutoCloseable {
        private final SampleFrames frames = new SampleFrames(FRAME, CONTEXT);
        private final SpeechGate gate = new SpeechGate(options, FRAME);
        private Tensor state = Tensor.allocate(ElementType.FLOAT, STATE);
        /** The outputs that have the state; null before the first frame. */
        private @Nullable Outputs last;

        Inputs inputs(float[] frame) {
            return Inputs.of("input", Tensor.copyOf(frame, 1, frame.length))
                    .and("state", state)
                    .and("sr", Tensor.scalar((long) RATE));
        }

        /** Adopts the state, and returns the probability of speech. */
        double adopt(Outputs outputs) {
            close();
            last = outputs;
            state = outputs.get("stateN");
            return outputs.get("output").floats()[0];
        }

        Stream<VoiceSegment> end() {
            return Stream.ofNullable(gate.end(frames.heard()));
        }

        @Override
        public void close() {
            if (last != null) {
                last.close();
            }
        }
    }

    /** Returns the segments of a sound, in samples at {@link #RATE}. */
    @Override
    public List<VoiceSegment> run(AudioClip clip) {
        float[] samples = heard(clip);
        var segments = new ArrayList<VoiceSegment>();
        try (var listening = new Listening()) {
            var frames = new ArrayList<>(listening.frames.add(samples));
            frames.addAll(listening.frames.end());
            for (float[] frame : frames) {
                VoiceSegment ended = listening.gate.next(listening.adopt(inference.run(listening.inputs(frame))));
                if (ended != null) {
                    segments.add(ended);
                }
            }
            listening.end().forEach(segments::add);
        }
        return List.copyOf(segments);
    }

    private static float[] heard(AudioClip clip) {
        return StageArguments.require(clip, "clip").resampled(RATE).samples();
    }

    @Override
    public Mono<List<VoiceSegment>> mono(AudioClip clip) {
        return Mono.defer(() -> segments(Flux.just(heard(clip))).collectList());
    }

    /** Returns the segments of one sound while it is heard, each as soon as the silence behind it is long enough. */
    public Flux<VoiceSegment> segments(Publisher<float[]> pieces) {
        StageArguments.require(pieces, "pieces");
        return Flux.using(
                Listening::new,
                listening -> probabilities(listening, pieces)
                        .concatMapIterable(
                                probability -> Stream.ofNullable(listening.gate.next(probability))
                                        .toList(),
                                1)
                        .concatWith(Flux.defer(() -> Flux.fromStream(listening.end()))),
                Listening::close);
    }

    /**
     * Returns the probability that somebody speaks, for each 512 samples of one sound.
     *
     * @param pieces the samples in pieces of any length, at {@link #RATE}
     */
    public Flux<Double> probabilities(Publisher<float[]> pieces) {
        StageArguments.require(pieces, "pieces");
        return Flux.using(Listening::new, listening -> probabilities(listening, pieces), Listening::close);
    }

    private Flux<Double> probabilities(Listening listening, Publisher<float[]> pieces) {
        return Flux.from(pieces)
                .concatMapIterable(listening.frames::add, 1)
                .concatWith(Flux.defer(() -> Flux.fromIterable(listening.frames.end())))
                .concatMap(
                        frame -> Mono.defer(() -> inference.mono(listening.inputs(frame)))
                                .map(listening::adopt),
                        1);
    }

    @Override
    public int concurrency() {
        return inference.concurrency();
    }
}
