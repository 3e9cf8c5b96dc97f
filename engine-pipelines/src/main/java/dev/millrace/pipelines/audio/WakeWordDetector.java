package dev.millrace.pipelines.audio;

import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Detects wake words with the models of openWakeWord: a mel spectrogram, speech embeddings, and a classifier for each word. A score of
 * each word follows from every 80 ms of a sound. The sound begins as if silence had been before. Frames of a sound follow each other;
 * different sounds run at the same time.
 */
public final class WakeWordDetector implements Stage<AudioClip, List<WakeScore>> {
    /** The number of samples of a second. */
    public static final int RATE = 16000;

    /** The samples of a frame, from which eight mel frames follow. */
    private static final int FRAME = 1280;
    /** The samples before a frame that the windows of its mel frames reach. */
    private static final int CONTEXT = 480;

    private final WakeModels models;
    private final WakeOptions options;

    private WakeWordDetector(WakeModels models, WakeOptions options) {
        this.models = models;
        this.options = options;
    }

    /**
     * Creates a detector.
     *
     * @param mel the model from samples {@code [1, samples]} to mel frames {@code [1, 1, frames, 32]}
     * @param embedding the model from mel frames {@code [1, 76, 32, 1]} to an embedding
     * @param words the classifiers by the names of their words, from embeddings {@code [1, 16, 96]} to a score
     */
    public static WakeWordDetector of(Inference mel, Inference embedding, Map<String, ? extends Inference> words) {
        return new WakeWordDetector(
                new WakeModels(mel, embedding, new LinkedHashMap<>(StageArguments.require(words, "words"))),
                WakeOptions.defaults());
    }

    /** Returns this detector with other limits. */
    public WakeWordDetector options(WakeOptions other) {
        return new WakeWordDetector(models, StageArguments.require(other, "options"));
    }

    /** The way in which a model is asked: on this thread, or without holding it. */
    private interface Runs {
        Mono<Outputs> of(Inference model, Inputs inputs);
    }

    private static final Runs STREAMING = Inference::mono;
    private static final Runs ON_THIS_THREAD = (model, inputs) -> Mono.fromCallable(() -> model.run(inputs));

    /** The way of one sound. */
    private final class Listening {
        private final Runs runs;
        private final SampleFrames frames = new SampleFrames(FRAME, CONTEXT);
        private final Map<String, WakeGate> gates = new HashMap<>();
        private @Nullable FeatureWindow mels;
        private @Nullable FeatureWindow embeddings;
        private int features;
        private long heard;

        Listening(Runs runs) {
            this.runs = runs;
        }

        /** Makes the windows of silence. */
        private Mono<FeatureWindow> begun() {
            FeatureWindow begun = embeddings;
            return begun != null
                    ? Mono.just(begun)
                    : mels(new float[CONTEXT + FRAME])
                            .flatMap(silence -> {
                                float[] last =
                                        Arrays.copyOfRange(silence, silence.length - WakeModels.BINS, silence.length);
                                mels = new FeatureWindow(WakeModels.MEL_FRAMES, last);
                                return embedding(mels);
                            })
                            .map(silence -> {
                                int most = models.words().values().stream()
                                        .mapToInt(WakeModels::embeddings)
                                        .max()
                                        .orElseThrow();
                                features = silence.length;
                                FeatureWindow made = new FeatureWindow(most, silence);
                                embeddings = made;
                                return made;
                            });
        }

        private Mono<float[]> mels(float[] samples) {
            return runs.of(models.mel(), models.samples(samples)).map(WakeModels::melFrames);
        }

        private Mono<float[]> embedding(FeatureWindow window) {
            return runs.of(models.embedding(), models.melFrames(window)).map(WakeModels::features);
        }

        /** Returns the scores of the words behind a frame. */
        Flux<WakeScore> scores(float[] frame) {
            return begun().flatMapMany(window -> mels(frame)
                    .flatMap(further -> {
                        FeatureWindow all = Objects.requireNonNull(mels);
                        all.add(further);
                        return embedding(all);
                    })
                    .flatMapMany(embedding -> {
                        window.add(embedding);
                        heard += FRAME;
                        return Flux.fromIterable(models.words().entrySet())
                                .concatMap(word -> score(word.getKey(), word.getValue(), window), 1);
                    }));
        }

        private Mono<WakeScore> score(String word, Inference classifier, FeatureWindow window) {
            long at = heard;
            return Mono.defer(() -> runs.of(classifier, WakeModels.embeddings(classifier, window, features)))
                    .map(outputs -> new WakeScore(word, WakeModels.score(word, outputs), at));
        }

        boolean isDetection(WakeScore score) {
            return gates.computeIfAbsent(score.word(), _ -> new WakeGate(options))
                    .next(score);
        }
    }

    private Flux<WakeScore> scores(Listening listening, Publisher<float[]> pieces) {
        return Flux.from(pieces)
                .concatMapIterable(listening.frames::add, 1)
                .concatWith(Flux.defer(() -> Flux.fromIterable(listening.frames.end())))
                .concatMap(listening::scores, 1);
    }

    /**
     * Returns the score of each word behind every 80 ms of one sound.
     *
     * @param pieces the samples in pieces of any length, at {@link #RATE}
     */
    public Flux<WakeScore> scores(Publisher<float[]> pieces) {
        StageArguments.require(pieces, "pieces");
        return Flux.defer(() -> scores(new Listening(STREAMING), pieces));
    }

    /** Returns the detections in one sound while it is heard. */
    public Flux<WakeScore> detections(Publisher<float[]> pieces) {
        StageArguments.require(pieces, "pieces");
        return detections(STREAMING, pieces);
    }

    private Flux<WakeScore> detections(Runs runs, Publisher<float[]> pieces) {
        return Flux.defer(() -> {
            var listening = new Listening(runs);
            return scores(listening, pieces).filter(listening::isDetection);
        });
    }

    private static Flux<float[]> heard(AudioClip clip) {
        return Flux.just(StageArguments.require(clip, "clip").resampled(RATE).samples());
    }

    /** Returns the detections in a sound, with times in samples at {@link #RATE}. */
    @Override
    public List<WakeScore> run(AudioClip clip) {
        var found = new ArrayList<WakeScore>();
        try {
            detections(ON_THIS_THREAD, heard(clip))
                    .doOnNext(found::add)
                    .then()
                    .toFuture()
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
        return List.copyOf(found);
    }

    @Override
    public Mono<List<WakeScore>> mono(AudioClip clip) {
        return Mono.defer(() -> detections(STREAMING, heard(clip)).collectList());
    }

    @Override
    public int concurrency() {
        return models.mel().concurrency();
    }
}
