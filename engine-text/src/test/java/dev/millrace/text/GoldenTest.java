package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.text.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Texts with everything that tokenizers stumble over, against what Hugging Face's own tokenizers made of them (the library of
 * DJL 0.34.0): each line is a text, its numbers, and what these are as text again.
 */
class GoldenTest {
    static Tokenizer tokenizer(String name) throws IOException {
        // the first is a real one, that of all-MiniLM-L6-v2
        return Tokenizer.of(content(name.equals("minilm") ? "/all-minilm-l6-v2-tokenizer.json" : name + ".json"))
                .unbounded();
    }

    static byte[] content(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(GoldenTest.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"minilm", "byte-level", "byte-fallback", "roberta", "unigram"})
    void textsBecomeTheTokensThatTheyBecomeElsewhere(String name) throws IOException {
        Tokenizer tokenizer = tokenizer(name);
        String cases = new String(content(name + ".tsv"), StandardCharsets.UTF_8);
        assertThat(cases.lines()).hasSize(60);
        for (String line : cases.split("\n")) {
            String[] parts = line.split("\t");
            String text = string(parts[0]);
            long[] ids = Stream.of(parts[1].split(" "))
                    .filter(id -> !id.isEmpty())
                    .mapToLong(Long::parseLong)
                    .toArray();
            assertThat(tokenizer.encode(text).ids()).as(text).containsExactly(ids);
            assertThat(tokenizer.decode(ids)).as(text).isEqualTo(string(parts[2]));
        }
    }

    private static String string(String json) {
        return Json.parse(json.getBytes(StandardCharsets.UTF_8), "line").text();
    }
}
