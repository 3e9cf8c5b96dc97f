package dev.millrace.providers.cpu.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

class WindowTest {
    /** A window over up to three axes, with pads, steps and gaps. */
    private static Window any(Random random) {
        int axes = 1 + random.nextInt(3);
        int[] in = ints(random, axes, 1, 9);
        return new Window(
                in,
                ints(random, axes, 1, 6),
                ints(random, axes, 1, 4),
                ints(random, axes, 1, 3),
                ints(random, axes, 1, 3),
                ints(random, axes, -1, 3),
                ints(random, axes, 0, 3));
    }

    private static int[] ints(Random random, int count, int least, int most) {
        return random.ints(count, least, most + 1).toArray();
    }

    @RepeatedTest(200)
    void spansHaveThePlacesOfTheirWindows(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        Window window = any(random);
        for (int position = 0; position < window.outSize(); position++) {
            int count = 1 + random.nextInt(window.outWidth() - position % window.outWidth());
            for (int tap = 0; tap < window.kernelSize(); tap++) {
                long[] places = new long[count];
                Arrays.fill(places, -1);
                Window.Span span = window.span(position, tap, count);
                for (int i = span.first(); i < span.end(); i += span.together(i)) {
                    for (int j = 0; j < span.together(i); j++) {
                        places[i + j] = span.place(i) + j;
                    }
                }
                for (int i = 0; i < count; i++) {
                    assertThat(places[i]).isEqualTo(window.place(position + i, tap));
                }
            }
        }
    }
}
