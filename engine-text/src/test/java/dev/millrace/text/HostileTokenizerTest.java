package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files and texts that mean harm end with an answer or an {@link EngineException}, soon and without much memory. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileTokenizerTest {
    private static final String WORD_LEVEL =
            "'model': {'type': 'WordLevel', 'unk_token': '?', 'vocab': {'?': 0, 'a': 1}}";

    private static Tokenizer of(String json) {
        return Tokenizer.of(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static void refused(ThrowingCallable call, String why) {
        assertThatThrownBy(call).isInstanceOf(EngineException.class).hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        -5 | -5 is no number of a token; these are from 0 to 2147483647
        2147483648 | 2147483648 is no number of a token
        1.5 | 1.5 is no number of a token
        1e400 | is no number of a token
        """)
    void numbersOfTokensAreNumbersOfTokens(String id, String why) {
        for (String type : List.of("BPE", "WordLevel", "WordPiece")) {
            refused(() -> of("{'model': {'type': '" + type + "', 'vocab': {'[UNK]': 0, 'a': " + id + "}}}"), why);
        }
        String added = "{" + WORD_LEVEL + ", 'added_tokens': [{'id': " + id + ", 'content': 'b'}]}";
        refused(() -> of(added), why);
        refused(() -> of("{" + WORD_LEVEL + ", 'padding': {'strategy': 'BatchLongest', 'pad_id': " + id + "}}"), why);
    }

    @ParameterizedTest
    @ValueSource(ints = {2147483647, 2147483646, 200_000_000})
    void numbersWithLargeGapsTakeNoMemory(int id) {
        Tokenizer tokenizer = of("{'model': {'type': 'BPE', 'vocab': {'a': " + id + "}}}");
        assertThat(tokenizer.encode("aa").ids()).containsExactly(id, id);
        assertThat(tokenizer.token(id)).isEqualTo("a");
        assertThat(tokenizer.token(-1)).isNull();
        assertThat(tokenizer.decode(id)).isEqualTo("a");
    }

    @Test
    void numbersThatNoTokenHasStandForNothing() {
        assertThat(of("{" + WORD_LEVEL + "}").decode(1L << 40, -1, 1, Long.MIN_VALUE, (1L << 32) + 1, 7))
                .isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "{'model': {}}", "{'model_type': 'bert', 'vocab_size': 30522}"})
    void filesWithoutVocabularyAreRefused(String otherFile) {
        refused(() -> of(otherFile), "tokenizer.model: there is no vocabulary");
    }

    @Test
    void paddingIsBounded() {
        refused(() -> of("{" + WORD_LEVEL + ", 'padding': {'strategy': {'Fixed': 2147483647}}}"), "2147483647");
        refused(() -> of("{" + WORD_LEVEL + ", 'padding': {'pad_to_multiple_of': 2147483647}}"), "2147483647");
        refused(() -> of("{" + WORD_LEVEL + ", 'padding': {'strategy': {'Fixed': -1}}}"), "-1 stands where a count");
        Tokenizer left = of(
                "{" + WORD_LEVEL + ", 'padding': {'strategy': {'Fixed': 1000000}, 'direction': 'Left', 'pad_id': 9}}");
        Encoding encoding = left.encode("a");
        assertThat(encoding.length()).isEqualTo(1_000_000);
        assertThat(encoding.ids()).startsWith(9, 9).endsWith(9, 1);
        assertThat(encoding.mask()).startsWith(0, 0).endsWith(0, 1);
        assertThat(encoding.isMark(5)).isTrue();
        assertThat(encoding.isMark(999_999)).isFalse();
        refused(() -> encoding.start(1_000_000), "there is no token 1000000 of 1000000");
        refused(() -> encoding.isMark(-1), "there is no token -1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a+)+x",
                "(a|a)*x",
                "((a{1,1000}){1,20}){1,20}x",
                "a*(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)(|)x"
            })
    void anExpressionWithManyWaysIsAnswered(String expression) {
        assertThat(split(expression).encode("a".repeat(41)).ids()).containsExactly(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"(a*)*x", "(?=(a+)+x)", "(a|a?)*x"})
    void anExpressionWithoutEndIsStopped(String expression) {
        refused(() -> split(expression).encode("a".repeat(41)), "repetitions inside of repetitions");
    }

    private static Tokenizer split(String expression) {
        return of("{" + WORD_LEVEL + ", 'pre_tokenizer': {'type': 'Split', 'pattern': {'Regex': '" + expression
                + "'}, 'behavior': 'Isolated'}}");
    }

    @Test
    void anExpressionThatIsTooLargeIsRefusedWhereItIsRead() {
        refused(
                () -> of("{" + WORD_LEVEL
                        + ", 'normalizer': {'type': 'Replace', 'pattern': {'Regex':"
                        + " '(((a{1,1000}){1,1000}){1,1000})x'}, 'content': ''}}"),
                "tokenizer.normalizer.pattern: it repeats groups so often");
        refused(
                () -> of("{" + WORD_LEVEL + ", 'pre_tokenizer': {'type': 'Split', 'pattern': {'Regex': '"
                        + "\\\\d".repeat(20_000) + "'}, 'behavior': 'Isolated'}}"),
                "tokenizer.pre_tokenizer.pattern");
    }

    @Test
    void aChoiceIsRepeatedOnALongText() {
        assertThat(split("(a|b)*c").encode("ab".repeat(100_000)).ids()).containsExactly(0);
    }

    @Test
    void textsDoNotGrowWithoutBound() {
        String replace = "{'type': 'Replace', 'pattern': {'String': 'a'}, 'content': 'aa'}";
        String all = String.join(", ", Collections.nCopies(40, replace));
        Tokenizer normalizing =
                of("{" + WORD_LEVEL + ", 'normalizer': {'type': 'Sequence', 'normalizers': [" + all + "]}}");
        refused(() -> normalizing.encode("a"), "lets texts grow without bound");
        Tokenizer decoding = of("{" + WORD_LEVEL + ", 'decoder': {'type': 'Sequence', 'decoders': [" + all + "]}}");
        refused(() -> decoding.decode(1), "lets texts grow without bound");
        String bytes = String.join(", ", Collections.nCopies(40, "{'type': 'ByteLevel', 'use_regex': false}"));
        Tokenizer splitting =
                of("{" + WORD_LEVEL + ", 'pre_tokenizer': {'type': 'Sequence', 'pretokenizers': [" + bytes + "]}}");
        refused(() -> splitting.encode("é"), "lets texts grow without bound");
    }

    @Test
    void manyMarksOfManyTokensAreRefused() {
        String ids = String.join(",", Collections.nCopies(3000, "1"));
        String slots = String.join(",", Collections.nCopies(3000, "{'SpecialToken': {'id': 'x', 'type_id': 0}}"));
        refused(
                () -> of("{" + WORD_LEVEL + ", 'post_processor': {'type': 'TemplateProcessing', 'single': [" + slots
                        + "], 'pair': [], 'special_tokens': {'x': {'id': 'x', 'ids': [" + ids + "], 'tokens': []}}}}"),
                "a format has at most");
    }

    @Test
    void longPiecesCostNoMoreThanTheText() {
        String piece = "a".repeat(50_000) + "b";
        Tokenizer unigram = of("{'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['?', -9.0], ['a', -1.0], ['"
                + piece + "', -2.0]]}}");
        assertThat(unigram.encode("a".repeat(100_000)).length()).isEqualTo(100_000);
        assertThat(unigram.encode("c" + piece).ids()).containsExactly(0, 2);
    }

    @Test
    void manyAddedTokensCostNoMoreThanTheText() {
        String added = IntStream.range(0, 20_000)
                .mapToObj(i -> "{'id': " + (i + 2) + ", 'content': '<" + "x".repeat(20) + i + ">'}")
                .collect(Collectors.joining(","));
        Tokenizer tokenizer = of("{" + WORD_LEVEL + ", 'added_tokens': [" + added + "]}");
        assertThat(tokenizer
                        .encode("<".repeat(100_000) + "<" + "x".repeat(20) + "7>")
                        .ids())
                .containsExactly(0, 9);
    }

    @Test
    void theLongestAddedTokenIsFoundFirst() {
        Tokenizer tokenizer =
                of("{" + WORD_LEVEL + ", 'added_tokens': [{'id': 2, 'content': '<x>'}, {'id': 3, 'content': '<x><y>'},"
                        + " {'id': 4, 'content': 'x><y'}, {'id': 5, 'content': 'one', 'single_word':"
                        + " true}]}");
        assertThat(tokenizer.encode("<x><y><x>x><yone one").ids()).containsExactly(3, 2, 4, 0, 5);
    }

    @Test
    void manyMarksOnOneCharCostNoMoreThanTheText() {
        Tokenizer tokenizer = of("{" + WORD_LEVEL + ", 'normalizer': {'type': 'NFD'}}");
        assertThat(tokenizer.encode("a" + "\u0301\u0316".repeat(200_000)).ids()).containsExactly(0);
    }

    @Test
    void callsAreCancelled() throws Exception {
        var cancellation = new Cancellation();
        Tokenizer tokenizer = split("(a*)*x");
        String text = "a".repeat(2_000_000);
        var run = CompletableFuture.runAsync(
                () -> tokenizer.cancelledBy(cancellation).encode(text));
        cancellation.cancel();
        assertThatThrownBy(() -> run.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.CANCELLED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/zero", "/dev/null", "/", "/proc/self/mem"})
    void whatIsNoFileIsNotRead(String path) {
        assertThatThrownBy(() -> Tokenizer.read(Path.of(path)))
                .isInstanceOf(EngineException.class)
                .hasMessageStartingWith("tokenizer " + path);
    }

    @Test
    void aFileThatIsTooLargeIsNotRead(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("tokenizer.json");
        try (var channel = Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.position(1L << 40).write(ByteBuffer.wrap(new byte[1]));
        }
        refused(() -> Tokenizer.read(file), "has 1099511627777 bytes; the largest that is read has 268435456");
    }

    @Test
    void whatCannotBeReadIsSaidInPlainWords(@TempDir Path folder) throws IOException {
        Path missing = folder.resolve("no-such.json");
        assertThatThrownBy(() -> Tokenizer.read(missing))
                .hasMessage("tokenizer " + missing + " cannot be read: there is no such file");
        Path cut = Files.writeString(folder.resolve("cut.json"), "{\"model\": {\"vocab\": {\"a\": 1,");
        assertThatThrownBy(() -> Tokenizer.read(cut))
                .hasMessage("tokenizer " + cut
                        + " is no JSON: it ends early, after 28 bytes; was its download interrupted?");
        Path page = Files.writeString(folder.resolve("page.json"), "<!DOCTYPE html>");
        assertThatThrownBy(() -> Tokenizer.read(page))
                .hasMessageContaining("is no JSON: '<' stands where a value belongs (line 1, column 1)");
    }

    @Test
    @SuppressWarnings("NullAway")
    void argumentsAreNamed() {
        Tokenizer tokenizer = of("{" + WORD_LEVEL + "}");
        refused(() -> Tokenizer.of(null), "the argument 'content' is null");
        refused(() -> Tokenizer.of(new byte[0]), "tokenizer is empty");
        refused(() -> Tokenizer.read(null), "the argument 'file' is null");
        refused(() -> tokenizer.encode(null), "the argument 'text' is null");
        refused(() -> tokenizer.encode("a", null), "the argument 'other' is null");
        refused(() -> tokenizer.encodeAll(null), "the argument 'texts' is null");
        refused(() -> tokenizer.encodeAll(Arrays.asList("a", null)), "the element 1 of 'texts' is null");
        refused(() -> tokenizer.decode((long[]) null), "the argument 'ids' is null");
        refused(() -> tokenizer.id(null), "the argument 'token' is null");
        refused(() -> tokenizer.has(null), "the argument 'token' is null");
        refused(() -> tokenizer.cutTo(-1), "the argument 'tokens' is -1; it is 0 or more");
        refused(() -> tokenizer.paddedTo(-1), "the argument 'tokens' is -1");
        refused(() -> tokenizer.paddedTo(Integer.MAX_VALUE), "padding to 2147483647 tokens");
        refused(() -> tokenizer.cancelledBy(null), "the argument 'cancellation' is null");
        refused(() -> new Detokenizer(null), "the argument 'tokenizer' is null");
        refused(() -> new Detokenizer(tokenizer, (long[]) null), "the argument 'before' is null");
        refused(() -> Pooling.MEAN.pool(null, null), "the argument 'hidden' is null");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type': 'Strip', 'content': '', 'start': 2147483647, 'stop': 2147483647}",
                "{'type': 'Strip', 'content': 'a', 'start': 1e300, 'stop': 0}"
            })
    void strippingEndsWithTheToken(String decoder) {
        Tokenizer tokenizer = of("{" + WORD_LEVEL + ", 'decoder': " + decoder + "}");
        assertThat(tokenizer.decode(0, 1)).isIn("?a", "?");
    }
}
