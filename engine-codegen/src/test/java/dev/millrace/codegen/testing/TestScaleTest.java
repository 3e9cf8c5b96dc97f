package dev.millrace.codegen.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TestScaleTest {
    private static final String COUNT = "millrace.test.of.the.scale";

    private final @Nullable String before = System.getProperty(TestScale.PROPERTY);

    @AfterEach
    void restore() {
        System.clearProperty(COUNT);
        if (before == null) {
            System.clearProperty(TestScale.PROPERTY);
        } else {
            System.setProperty(TestScale.PROPERTY, before);
        }
    }

    private static List<String> taken(String scale, List<String> names) {
        System.setProperty(TestScale.PROPERTY, scale);
        return names.stream().filter(TestScale::has).toList();
    }

    @Test
    void aShareIsRoundedUp() {
        System.setProperty(TestScale.PROPERTY, "0.1");
        assertThat(TestScale.share(2_000)).isEqualTo(200);
        assertThat(TestScale.share(25)).isEqualTo(3);
        assertThat(TestScale.share(1)).isEqualTo(1);
    }

    @Test
    void everythingRunsWithoutTheProperty() {
        System.clearProperty(TestScale.PROPERTY);
        assertThat(TestScale.share(25)).isEqualTo(25);
        assertThat(TestScale.has("any")).isTrue();
    }

    @Test
    void aCountOfItsOwnWins() {
        System.setProperty(TestScale.PROPERTY, "0.1");
        assertThat(TestScale.count(COUNT, 400)).isEqualTo(40);
        assertThat(TestScale.times(COUNT, 400)).isEqualTo(40);
        System.setProperty(COUNT, "3");
        assertThat(TestScale.count(COUNT, 400)).isEqualTo(3);
        assertThat(TestScale.times(COUNT, 400)).isEqualTo(1_200);
    }

    @Test
    void theShareOfAListIsAboutATenthAndPartOfEveryLargerOne() {
        List<String> names =
                IntStream.range(0, 2_000).mapToObj(i -> "test_case_" + i).toList();
        List<String> tenth = taken("0.1", names);
        assertThat(tenth).hasSizeBetween(150, 250);
        assertThat(taken("0.5", names)).hasSizeBetween(900, 1_100).containsAll(tenth);
        assertThat(taken("1", names)).isEqualTo(names);
    }

    @Test
    void aScaleOutsideOfItsRangeIsRefused() {
        for (String scale : List.of("0", "-1", "1.5", "NaN")) {
            System.setProperty(TestScale.PROPERTY, scale);
            assertThatThrownBy(() -> TestScale.share(10)).hasMessageContaining(TestScale.PROPERTY);
        }
    }
}
