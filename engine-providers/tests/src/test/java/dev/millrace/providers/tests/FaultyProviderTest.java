package dev.millrace.providers.tests;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the tests of providers find what is wrong with a provider. */
class FaultyProviderTest {
    @TempDir
    private Path folder = Path.of("");

    private Subject subject(boolean takesNodes) {
        return new Subject(new WrongProvider(true, takesNodes), folder);
    }

    @Test
    void wrongAnswersAreFound() {
        assertThatThrownBy(() -> new AnswerSuite(subject(true)).smallModels())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("with a batch of 1, optimiser DISABLED: output 'y' has");
        assertThatThrownBy(() -> new AnswerSuite(subject(true)).randomGraphs())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("random graph");
        assertThatThrownBy(() -> new AnswerSuite(subject(true)).manyRuns()).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> new FaultSuite(subject(true)).cancellation()).isInstanceOf(AssertionError.class);
    }

    @Test
    void aProviderThatTakesNothingFails() {
        assertThatThrownBy(() -> new AnswerSuite(subject(false)).smallModels())
                .hasMessageContaining("takes no node of the small models");
        assertThatThrownBy(() -> new AnswerSuite(subject(false)).randomGraphs())
                .hasMessageContaining("takes no node of the random graphs");
    }

    @Test
    void optionsThatNobodyChecksAreFound() {
        assertThatThrownBy(() -> new FaultSuite(subject(true)).unknownOption()).isInstanceOf(AssertionError.class);
    }

    @Test
    void aSubclassSaysWhereItsProviderIs() {
        var nothing = new Subject(new WrongProvider(false, false), folder);
        assertThatThrownBy(nothing::host).hasMessageContaining("overrides neither factory() nor library()");
    }
}
