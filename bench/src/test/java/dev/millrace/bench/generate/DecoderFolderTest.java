package dev.millrace.bench.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("reference")
class DecoderFolderTest {
    private static final DecoderSize SMALL = new DecoderSize(2, 128, 4, 2, 32, 256, 320, 512);
    private static final int TOKENS = 40;
    /** The rounding of scores by products of 8-bit numbers. */
    private static final float NEAR = 0.1f;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void bothSidesGenerateTheSameTokensUnlessTwoAreAlmostEquallyLikely() throws Exception {
        DecoderFolder.write(SMALL, 5, folder);
        Path model = folder.resolve(DecoderFolder.MODEL);
        long[] prompt = new Random(3).longs(20, 0, SMALL.words()).toArray();
        try (var ours = new OurDecoder(model, 1, 0);
                var reference = new OnnxRuntimeDecoder(model, 1)) {
            DecodeTimes mine = ours.generate(prompt, TOKENS);
            DecodeTimes others = reference.generate(prompt, TOKENS);
            assertThat(mine.ids()).hasSize(TOKENS);
            assertThat(others.ids()).hasSize(TOKENS);
            assertThat(Arrays.stream(mine.ids()).distinct().count()).isGreaterThan(5);
            int parts = Arrays.mismatch(mine.ids(), others.ids());
            assertThat(parts < 0 || others.margins()[parts] < NEAR).isTrue();
            assertThat(mine.decodeRate()).isPositive();
            assertThat(others.prefillRate(prompt.length)).isPositive();
        }
    }
}
