package dev.millrace.session.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
    private static final JsonReader.Limits LIMITS = new JsonReader.Limits(4, 10, true);

    private static @Nullable Object read(String text) {
        return JsonReader.read(text.getBytes(StandardCharsets.UTF_8), LIMITS);
    }

    private static Map<?, ?> object(String text) {
        return (Map<?, ?>) Objects.requireNonNull(read(text));
    }

    private static byte[] quoted(int... bytes) {
        byte[] text = new byte[bytes.length + 2];
        text[0] = '"';
        for (int i = 0; i < bytes.length; i++) {
            text[i + 1] = (byte) bytes[i];
        }
        text[bytes.length + 1] = '"';
        return text;
    }

    @Test
    void valuesBecomeJavas() {
        Map<?, ?> read = object(" {\"a\" : [1, -2.5e1,\ttrue], \"b\":{\"c\":false,\"d\":null},\r\n\"\":[ ]} ");
        assertThat(read.get("a")).isEqualTo(List.of(1.0, -25.0, true));
        var inner = new HashMap<String, @Nullable Object>();
        inner.put("c", false);
        inner.put("d", null);
        assertThat(read.get("b")).isEqualTo(inner);
        assertThat(read.get("")).isEqualTo(List.of());
    }

    @Test
    void namesStayInOrder() {
        Map<?, ?> read = object("{\"z\":1,\"a\":2,\"m\":3}");
        assertThat(read.keySet().stream().map(String::valueOf)).containsExactly("z", "a", "m");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "7",
                "-12",
                "999999999999999",
                "9007199254740993",
                "123456789012345678901234567890",
                "0.1",
                "1e308",
                "-1.5E-7",
                "4.9e-324",
                "1E+2"
            })
    void numbersAreThoseOfJava(String text) {
        assertThat(read(text)).isEqualTo(Double.valueOf(text));
    }

    @Test
    void textsAreDecoded() {
        assertThat(read("\"\"")).isEqualTo("");
        assertThat(read("\"Müller 水車 \uD83D\uDC08 \uFFFD\"")).isEqualTo("Müller 水車 \uD83D\uDC08 \uFFFD");
        assertThat(read("\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\\u0041\\ud83d\\uDC08 ü\""))
                .isEqualTo("a\"b\\c/d\b\f\n\r\tA\uD83D\uDC08 ü");
    }

    @Test
    void aByteOrderMarkIsSkipped() {
        assertThat(read("\uFEFF[1]")).isEqualTo(List.of(1.0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "<html>        | '<' stands where a value belongs (line 1, column 1)",
                "+1            | '+' stands where a value belongs",
                ".5            | '.' stands where a value belongs",
                "NaN           | 'N' stands where a value belongs",
                "[1,]          | ']' stands where a value belongs (line 1, column 4)",
                "-x            | 'x' stands where a value belongs",
                "01            | a number begins with 0",
                "1.x           | a digit is missing",
                "1e+]          | a digit is missing",
                "nul]          | there is no such word",
                "{a:1}         | a name is missing",
                "{\"a\" 1}     | ':' is missing",
                "{\"a\":1 \"b\":2} | '}' is missing",
                "[1 2]         | ']' is missing",
                "[1] 2         | something follows it (line 1, column 5)",
                "{\"a\":1,\"a\":2} | 'a' stands twice",
                "[[[[[1]]]]]   | nested deeper than 4",
                "[1,2,3,4,5,6,7,8,9,10] | more than 10 values",
                "\"a\\x\"      | there is no such escape",
                "\"\\u12g4\"   | four hexadecimal digits",
            })
    void whatIsNoJsonIsRefused(String text, String reason) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        JsonFormatException.class,
                        e -> assertThat(e.endsEarly()).isFalse())
                .hasMessageContaining(reason);
    }

    @Test
    void controlCharactersAndBrokenUtf8AreRefused() {
        assertThatThrownBy(() -> read("\n\"a\nb\"")).hasMessage("a text holds a control character (line 2, column 3)");
        assertThatThrownBy(() -> read("\"\\n\u0001\"")).hasMessageStartingWith("a text holds a control character");
        for (byte[] text : List.of(quoted(0x80), quoted('a', 0xC3), quoted(0xC0, 0xAF), quoted(0xED, 0xA0, 0x80))) {
            assertThatThrownBy(() -> JsonReader.read(text, LIMITS)).hasMessageStartingWith("a text is not in UTF-8");
        }
    }

    @Test
    void everyBeginningIsSeenToEndEarly() {
        byte[] whole = "{\"a\\u0041\":[true,\"ü\",{\"b\":-1.5e2}]}".getBytes(StandardCharsets.UTF_8);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> JsonReader.read(cut, LIMITS))
                    .isInstanceOfSatisfying(
                            JsonFormatException.class,
                            e -> assertThat(e.endsEarly()).isTrue());
        }
    }

    @Test
    void theLastOfEqualNamesCountsWhereTheyAreAllowed() {
        var lenient = new JsonReader.Limits(4, 10, false);
        assertThat(JsonReader.read("{\"a\":1,\"a\":2}".getBytes(StandardCharsets.UTF_8), lenient))
                .isEqualTo(Map.of("a", 2.0));
    }

    @Test
    void limitsAreReached() {
        assertThat(read("[[[[]]]]")).isInstanceOf(ArrayList.class);
        assertThat((List<?>) read("[1,2,3,4,5,6,7,8,9]")).hasSize(9);
    }
}
