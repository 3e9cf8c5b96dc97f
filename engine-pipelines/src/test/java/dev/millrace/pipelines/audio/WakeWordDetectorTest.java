package dev.millrace.pipelines.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.FixedInference;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Tests with functions that have the shapes of openWakeWord's models. */
class WakeWordDetectorTest {
    private static final int FRAME = 1280;
    private static final int HOP = 160;
    private static final int WINDOW = 512;
    private static final int BINS = 32;
    private static final int FEATURES = 96;
    private static final int RATE = WakeWordDetector.RATE;

    /** Mel frames: the bin of a frame's number has the sum of the window, in units of the full scale. */
    private static Tensor[] mel(Inputs inputs) {
        Tensor samples = FixedInference.tensor(inputs, "input");
        assertThat(samples.shape().rank()).isEqualTo(2);
        float[] all = samples.floats();
        int frames = (all.length - WINDOW) / HOP + 1;
        float[] made = new float[frames * BINS];
        for (int frame = 0; frame < frames; frame++) {
            float sum = 0;
            for (int i = 0; i < WINDOW; i++) {
                sum += all[frame * HOP + i] / 32768;
            }
            Arrays.fill(made, frame * BINS, (frame + 1) * BINS, 10 * (sum / WINDOW - 2));
        }
        return new Tensor[] {Tensor.copyOf(made, 1, 1, frames, BINS)};
    }

    /** The mean of the mel frames, which undoes the scale of the model's input. */
    private static Tensor[] embedding(Inputs inputs) {
        Tensor frames = FixedInference.tensor(inputs, "input_1");
        assertThat(frames.shape().toArray()).containsExactly(1, 76, BINS, 1);
        float[] made = new float[FEATURES];
        float sum = 0;
        for (float each : frames.floats()) {
            sum += each;
        }
        Arrays.fill(made, sum / frames.elements());
        return new Tensor[] {Tensor.copyOf(made, 1, 1, 1, FEATURES)};
    }

    /** A classifier that sees so many embeddings, and whose score is that of the last one. */
    private static FixedInference classifier(int embeddings, int scores) {
        ValueType type =
                ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(1), Dim.of(embeddings), Dim.of(FEATURES)));
        return new FixedInference(
                List.of(new ValueInfo("x", type, false)), List.of(new ValueInfo("y", null, false)), inputs -> {
                    Tensor seen = FixedInference.tensor(inputs, "x");
                    assertThat(seen.shape().toArray()).containsExactly(1, embeddings, FEATURES);
                    float[] score = new float[scores];
                    score[0] = seen.floats()[(int) seen.elements() - 1];
                    return new Tensor[] {Tensor.copyOf(score, 1, scores)};
                });
    }

    private static WakeWordDetector detector(Map<String, FixedInference> words) {
        return WakeWordDetector.of(
                FixedInference.of(List.of("input"), 1, WakeWordDetectorTest::mel),
                FixedInference.of(List.of("input_1"), 1, WakeWordDetectorTest::embedding),
                words);
    }

    /** A sound of so many frames. The mean of the last 76 mel frames follows the loudness. */
    private static float[] sound(int frames, int from, int to) {
        float[] samples = new float[frames * FRAME];
        Arrays.fill(samples, from * FRAME, to * FRAME, 1f);
        return samples;
    }

    private static List<float[]> pieces(float[] samples, int length) {
        var pieces = new ArrayList<float[]>();
        for (int at = 0; at < samples.length; at += length) {
            pieces.add(Arrays.copyOfRange(samples, at, Math.min(samples.length, at + length)));
        }
        return pieces;
    }

    /** The scores as they follow from the whole sound with silence before it. */
    private static List<Double> expected(float[] samples) {
        float[] all = new float[samples.length + 76 * HOP + 480];
        int before = all.length - samples.length;
        System.arraycopy(samples, 0, all, before, samples.length);
        var scores = new ArrayList<Double>();
        for (int end = before + FRAME; end <= all.length; end += FRAME) {
            double sum = 0;
            for (int frame = 0; frame < 76; frame++) {
                // the last mel frame of a chunk begins 8 hops behind the first, which begins at its context
                int start = end - FRAME - 480 + 7 * HOP - (75 - frame) * HOP;
                for (int i = 0; i < WINDOW; i++) {
                    sum += start + i < 0 ? 0 : all[start + i];
                }
            }
            scores.add(sum / 76 / WINDOW);
        }
        return scores;
    }

    @Test
    void scoresFollowFromSlidingWindows() {
        float[] samples = sound(40, 3, 30);
        List<WakeScore> scores = Objects.requireNonNull(detector(Map.of("hello", classifier(16, 1)))
                .scores(Flux.fromIterable(pieces(samples, 777)))
                .collectList()
                .block());
        List<Double> expected = expected(samples);
        assertThat(scores).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(scores.get(i).score()).as("frame " + i).isCloseTo(expected.get(i), within(1e-4));
            assertThat(scores.get(i).heard()).isEqualTo((i + 1L) * FRAME);
        }
        assertThat(scores.get(12).seconds()).isCloseTo(13 * 0.08, within(1e-9));
    }

    @Test
    void aWordIsDetectedOnceWithinTheRefractoryTime() {
        // loud for 3.2 s: the score stays above the threshold for about 3.3 s
        float[] samples = sound(80, 5, 45);
        var words = new LinkedHashMap<String, FixedInference>();
        words.put("long", classifier(28, 1));
        words.put("short", classifier(5, 1));
        WakeWordDetector twoSeconds = detector(words);
        List<WakeScore> found = twoSeconds.run(AudioClip.wrap(samples, RATE));
        assertThat(found).extracting(WakeScore::word).containsExactly("long", "short", "long", "short");
        assertThat(found.get(2).heard() - found.get(0).heard()).isBetween(2L * RATE, 2L * RATE + FRAME);
        assertThat(found).allMatch(each -> each.score() >= 0.5);
        StepVerifier.create(twoSeconds.detections(Flux.fromIterable(pieces(samples, 1000))))
                .expectNextSequence(found)
                .verifyComplete();
        assertThat(twoSeconds.mono(AudioClip.wrap(samples, RATE)).block()).isEqualTo(found);
        WakeWordDetector tenSeconds = twoSeconds.options(new WakeOptions(0.5, 1, 10_000));
        assertThat(tenSeconds.run(AudioClip.wrap(samples, RATE))).hasSize(2);
        assertThat(twoSeconds.run(AudioClip.wrap(new float[RATE], RATE))).isEmpty();
    }

    @Test
    void aDetectionTakesSoManyFramesInARow() {
        // the score reaches 0.5 for a part of the frames alone
        float[] samples = sound(40, 5, 12);
        WakeWordDetector detector = detector(Map.of("word", classifier(16, 1)));
        List<Double> scores = expected(samples);
        long above = scores.stream().filter(score -> score >= 0.6).count();
        assertThat(above).isBetween(2L, 8L);
        WakeOptions fits = new WakeOptions(0.6, (int) above, 0);
        WakeOptions tooMany = new WakeOptions(0.6, (int) above + 1, 0);
        assertThat(detector.options(fits).run(AudioClip.wrap(samples, RATE))).hasSize(1);
        assertThat(detector.options(tooMany).run(AudioClip.wrap(samples, RATE))).isEmpty();
    }

    @Test
    void aModelOfAnotherKindIsNamed() {
        AudioClip clip = AudioClip.wrap(new float[FRAME], RATE);
        assertThatThrownBy(() -> detector(Map.of("timer", classifier(16, 6))).run(clip))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("'timer' answers 6 numbers");
        WakeWordDetector wrong = WakeWordDetector.of(
                FixedInference.of(List.of("input"), 1, _ -> new Tensor[] {Tensor.copyOf(new float[80], 1, 80)}),
                FixedInference.of(List.of("input_1"), 1, WakeWordDetectorTest::embedding),
                Map.of("word", classifier(16, 1)));
        assertThatThrownBy(() -> wrong.run(clip)).hasMessageContaining("32 bins");
        assertThatThrownBy(() -> detector(Map.of())).hasMessageContaining("a classifier for each word");
        assertThatThrownBy(() -> new WakeOptions(0, 1, 0)).hasMessageContaining("above 0");
    }
}
