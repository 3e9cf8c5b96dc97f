package dev.millrace.pipelines.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.FixedInference;
import dev.millrace.session.Inputs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class VoiceDetectorTest {
    private static final int RATE = VoiceDetector.RATE;

    @Test
    void aToneStaysAToneAtAnotherRate() {
        for (int[] rates : new int[][] {{44100, 16000}, {8000, 16000}, {48000, 16000}}) {
            float[] samples = new float[rates[0]];
            for (int i = 0; i < samples.length; i++) {
                samples[i] = (float) Math.sin(2 * Math.PI * 440 * i / rates[0]);
            }
            AudioClip clip = AudioClip.wrap(samples, rates[0]).resampled(rates[1]);
            assertThat(clip.samples()).hasSize(rates[1]);
            for (int i = 200; i < rates[1] - 200; i++) {
                assertThat(clip.samples()[i])
                        .isCloseTo((float) Math.sin(2 * Math.PI * 440 * i / rates[1]), within(0.005f));
            }
        }
    }

    @Test
    void frequenciesThatTheRateCannotHaveGo() {
        float[] samples = new float[48000];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = (float) Math.sin(2 * Math.PI * 12000 * i / 48000);
        }
        AudioClip clip = AudioClip.wrap(samples, 48000).resampled(16000);
        for (int i = 200; i < 15800; i++) {
            assertThat(clip.samples()[i]).isCloseTo(0, within(0.01f));
        }
    }

    @Test
    void samplesOfSixteenBitsReachFromMinusOneToOne() {
        AudioClip clip = AudioClip.ofPcm(new short[] {0, 16384, -32768}, 8000);
        assertThat(clip.samples()).containsExactly(0, 0.5f, -1);
        assertThat(clip.duration().toNanos()).isEqualTo(375_000);
        assertThat(clip.part(1, 2).samples()).containsExactly(0.5f);
        assertThat(clip.resampled(16000).logMel(80).shape().toArray()).containsExactly(1, 80, 3000);
        assertThatThrownBy(() -> AudioClip.wrap(new float[1], 0)).hasMessageContaining("'rate' is 0");
    }

    private static List<VoiceSegment> segments(VoiceOptions options, double... probabilities) {
        return segmentsOfFrames(512, options, probabilities);
    }

    private static List<VoiceSegment> segmentsOfFrames(int frame, VoiceOptions options, double... probabilities) {
        var gate = new SpeechGate(options, frame);
        var segments = new ArrayList<VoiceSegment>();
        for (double each : probabilities) {
            VoiceSegment ended = gate.next(each);
            if (ended != null) {
                segments.add(ended);
            }
        }
        VoiceSegment last = gate.end((long) probabilities.length * frame);
        if (last != null) {
            segments.add(last);
        }
        return segments;
    }

    @Test
    void silenceThatIsLongEnoughEndsASegment() {
        var options = new VoiceOptions(0.5, 0.35, 60, 60, 10);
        // a gap of one frame, and a doubtful one, belong to the speech
        assertThat(segments(options, 0, 0.6, 0.9, 0.1, 0.4, 0.9, 0.2, 0.2, 0.2, 0.2, 0))
                .containsExactly(new VoiceSegment(512 - 160, 6 * 512 + 160));
        // speech of one frame is too short; speech at the end has no silence behind it
        assertThat(segments(options, 0.9, 0, 0, 0, 0, 0.9, 0.9))
                .containsExactly(new VoiceSegment(5 * 512 - 160, 7 * 512));
        assertThat(segments(options, 0.4, 0.49, 0.4)).isEmpty();
        assertThatThrownBy(() -> new VoiceOptions(0.5, 0.6, 0, 0, 0)).hasMessageContaining("not above the threshold");
        assertThatThrownBy(() -> new VoiceOptions(0.5, 0.3, 0, 10, 30)).hasMessageContaining("as long as the paddings");
    }

    @Test
    void positionsGoBeyondThoseOfAnInt() {
        int day = 24 * 60 * 60 * 1000;
        int frame = 1 << 30;
        long padding = 3600L * RATE;
        var options = new VoiceOptions(0.5, 0.35, day, day, day / 24);
        assertThat(segmentsOfFrames(frame, options, 0, 0, 0, 0.9, 0.9, 0, 0, 0, 0.9, 0.9))
                .containsExactly(
                        new VoiceSegment(3L * frame - padding, 5L * frame + padding),
                        new VoiceSegment(8L * frame - padding, 10L * frame));
    }

    /** A model whose probability is the mean of a frame without its context, and whose state counts the frames. */
    private static Tensor[] answer(Inputs inputs) {
        float[] frame = FixedInference.tensor(inputs, "input").floats();
        float[] state = FixedInference.tensor(inputs, "state").floats();
        assertThat(frame).hasSize(576);
        assertThat(FixedInference.tensor(inputs, "sr").longs()).containsExactly(16000);
        double sum = 0;
        for (int i = 64; i < frame.length; i++) {
            sum += frame[i];
        }
        float[] next = state.clone();
        next[0]++;
        // the context is the end of the frame before; the first frame has none
        next[1] = frame[575];
        assertThat(frame[63]).isEqualTo(state[1]);
        return new Tensor[] {Tensor.copyOf(new float[] {(float) (sum / 512)}, 1, 1), Tensor.copyOf(next, 2, 1, 128)};
    }

    private static float[] sound() {
        float[] samples = new float[3 * RATE + 100];
        Arrays.fill(samples, RATE / 2, RATE, 0.9f);
        Arrays.fill(samples, 2 * RATE, samples.length, 0.8f);
        return samples;
    }

    @Test
    void aStreamOfPiecesHasTheSegmentsOfTheWhole() {
        VoiceDetector detector = VoiceDetector.silero(FixedInference.named(
                List.of("input", "state", "sr"), List.of("output", "stateN"), VoiceDetectorTest::answer));
        List<VoiceSegment> segments = detector.run(AudioClip.wrap(sound(), RATE));
        assertThat(segments).hasSize(2);
        assertThat(segments.getFirst().startSeconds()).isCloseTo(0.5, within(0.07));
        assertThat(segments.getFirst().endSeconds()).isCloseTo(1, within(0.07));
        assertThat(segments.getLast().end()).isEqualTo(sound().length);
        StepVerifier.create(detector.mono(AudioClip.wrap(sound(), RATE)))
                .expectNext(segments)
                .verifyComplete();
        var pieces = new ArrayList<float[]>();
        for (int at = 0; at < sound().length; at += 777) {
            pieces.add(Arrays.copyOfRange(sound(), at, Math.min(sound().length, at + 777)));
        }
        StepVerifier.create(detector.segments(Flux.fromIterable(pieces)))
                .expectNextSequence(segments)
                .verifyComplete();
        StepVerifier.create(detector.probabilities(Flux.fromIterable(pieces)).count())
                .expectNext(Math.ceilDiv((long) sound().length, 512L))
                .verifyComplete();
    }
}
