package dev.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class WordPieceTest {
    private final WordPiece tokens = new WordPiece(
            Map.of("[CLS]", 1, "[SEP]", 2, "[UNK]", 3, "mill", 4, "##race", 5, "runs", 6, ".", 7, "cafe", 8, "##s", 9));

    @Test
    void wordsBecomeTheLongestPiecesBetweenBeginAndEnd() {
        assertThat(tokens.encode("Millrace runs.")).containsExactly(1, 4, 5, 6, 7, 2);
    }

    @Test
    void accentsAndCaseDoNotCount() {
        assertThat(tokens.encode("CAFÉS")).containsExactly(1, 8, 9, 2);
    }

    @Test
    void aWordThatCannotBeCutIsUnknownAsAWhole() {
        assertThat(tokens.encode("millstone runs")).containsExactly(1, 3, 6, 2);
    }
}
