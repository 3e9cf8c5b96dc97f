package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DetokenizerTest {
    @ParameterizedTest
    @ValueSource(strings = {"minilm", "byte-level", "byte-fallback", "roberta", "unigram"})
    void piecesAreTheWholeText(String name) throws IOException {
        Tokenizer tokenizer = GoldenTest.tokenizer(name);
        String cases = new String(GoldenTest.content(name + ".tsv"), StandardCharsets.UTF_8);
        for (String line : cases.split("\n")) {
            long[] ids = Stream.of(line.split("\t")[1].split(" "))
                    .filter(id -> !id.isEmpty())
                    .mapToLong(Long::parseLong)
                    .toArray();
            String whole = tokenizer.decode(ids);
            var detokenizer = new Detokenizer(tokenizer);
            var text = new StringBuilder();
            for (long id : ids) {
                String piece = detokenizer.add(id);
                if (!piece.isEmpty()) {
                    assertThat(Character.isHighSurrogate(piece.charAt(piece.length() - 1)))
                            .isFalse();
                }
                text.append(piece);
            }
            text.append(detokenizer.end());
            assertThat(text.toString()).as(line).isEqualTo(whole);
        }
    }

    @Test
    void aCharacterOfSeveralTokensIsGivenWhole() throws IOException {
        Tokenizer tokenizer = GoldenTest.tokenizer("byte-level").withoutMarks();
        long[] ids = tokenizer.encode("🦀").ids();
        assertThat(ids.length).isGreaterThan(1);
        var detokenizer = new Detokenizer(tokenizer);
        for (int i = 0; i < ids.length - 1; i++) {
            assertThat(detokenizer.add(ids[i])).isEmpty();
        }
        assertThat(detokenizer.add(ids[ids.length - 1])).isEqualTo("🦀");
        assertThat(detokenizer.add(ids[0])).isEmpty();
        assertThat(detokenizer.end()).isEqualTo("\ufffd");
        assertThat(detokenizer.end()).isEmpty();
    }

    @Test
    void bytesThatMakeUpNoCharacterAreNotHeldForEver() throws IOException {
        Tokenizer tokenizer = GoldenTest.tokenizer("byte-level").withoutMarks();
        long first = tokenizer.encode("🦀").ids()[0];
        var detokenizer = new Detokenizer(tokenizer);
        var pieces = Stream.generate(() -> detokenizer.add(first)).limit(40).filter(piece -> !piece.isEmpty());
        assertThat(pieces).isNotEmpty();
    }

    @Test
    void aSpaceBetweenThePromptAndTheFirstTokenIsThere() throws IOException {
        Tokenizer tokenizer = GoldenTest.tokenizer("unigram");
        long[] all = tokenizer.withoutMarks().encode("the mill runs").ids();
        long[] before =
                Arrays.copyOf(all, tokenizer.withoutMarks().encode("the mill").ids().length);
        var detokenizer = new Detokenizer(tokenizer, before);
        var text = new StringBuilder();
        for (int i = before.length; i < all.length; i++) {
            text.append(detokenizer.add(all[i]));
        }
        assertThat(text.append(detokenizer.end()).toString()).isEqualTo(" runs");
    }
}
