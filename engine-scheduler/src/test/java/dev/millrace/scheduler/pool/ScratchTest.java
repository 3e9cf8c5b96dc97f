package dev.millrace.scheduler.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScratchTest {
    private static final int LARGE = 1 << 20;

    @Test
    void arraysThatNobodyHasNeededForAWhileAreGivenUp() {
        var scratch = new Scratch();
        float[] floats = scratch.floats(0, LARGE);
        long[] longs = scratch.longs(1, LARGE);
        float[][] rows = scratch.rows(2, 4, LARGE);
        double[][] doubleRows = scratch.doubleRows(2, 4, LARGE);
        scratch.trim();
        assertThat(scratch.floats(0, 10)).isSameAs(floats);
        assertThat(scratch.longs(1, LARGE)).isSameAs(longs);
        assertThat(scratch.rows(2, 1, 10)).isSameAs(rows);
        assertThat(scratch.doubleRows(2, 1, 10)).isSameAs(doubleRows);
        scratch.trim();
        assertThat(scratch.floats(0, 10)).hasSizeLessThan(LARGE);
        assertThat(scratch.longs(1, 10)).isSameAs(longs);
        assertThat(scratch.rows(2, 1, 10)[0]).hasSizeLessThan(LARGE);
        assertThat(scratch.doubleRows(2, 1, 10)[0]).hasSizeLessThan(LARGE);
    }

    @Test
    void smallArraysStay() {
        var scratch = new Scratch();
        float[] floats = scratch.floats(0, 1000);
        scratch.trim();
        scratch.trim();
        assertThat(scratch.floats(0, 1000)).isSameAs(floats);
    }
}
