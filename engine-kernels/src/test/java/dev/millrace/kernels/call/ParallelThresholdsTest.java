package dev.millrace.kernels.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParallelThresholdsTest {
    @ParameterizedTest
    @CsvSource({
        "1000, 1000, 1",
        "1000, 1000, 2",
        "1000, 1000, 3",
        "1000, 500, 4",
        "1000, 333, 7",
        "1000, 250, 8",
        "1000, 250, 96"
    })
    void aTaskOfManyMayBeShort(long ofTask, long least, int threads) {
        assertThat(ParallelThresholds.least(ofTask, threads)).isEqualTo(least);
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 1", "1999, 2, 1", "2000, 2, 2", "9000, 2, 2", "2000, 8, 8", "1000, 8, 4", "5, 0, 1"})
    void sharesAreNoMoreThanThreadsNorThanAreWorthIt(long work, int threads, int shares) {
        assertThat(ParallelThresholds.shares(work, 1000, threads)).isEqualTo(shares);
    }

    @ParameterizedTest
    @CsvSource({"2000, 2, 2", "64000, 2, 2", "640000, 2, 10"})
    void whatTakesLongIsCutFurther(long work, int threads, int tasks) {
        assertThat(ParallelThresholds.tasks(work, 1000, threads)).isEqualTo(tasks);
    }
}
