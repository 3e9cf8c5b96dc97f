package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenizerTest {
    private static Tokenizer of(String json) {
        return Tokenizer.of(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static final String WORDS = """
        {'model': {'type': 'WordPiece', 'unk_token': '[UNK]', 'vocab': {'[PAD]': 0, '[UNK]': 1, '[CLS]': 2, '[SEP]': 3,
          'mill': 4, '##race': 5, 'runs': 6, '.': 7, 'a': 8, 'b': 9, 'c': 10}},
         'normalizer': {'type': 'BertNormalizer'}, 'pre_tokenizer': {'type': 'BertPreTokenizer'},
         'post_processor': {'type': 'BertProcessing', 'cls': ['[CLS]', 2], 'sep': ['[SEP]', 3]},
         'decoder': {'type': 'WordPiece'},
         'added_tokens': [{'id': 0, 'content': '[PAD]', 'special': true}, {'id': 2, 'content': '[CLS]', 'special': true},
           {'id': 3, 'content': '[SEP]', 'special': true}]}
        """;

    @Test
    void tokensSayWhereTheyStand() {
        Encoding encoding = of(WORDS).encode(" Millrace  runs.");
        assertThat(encoding.tokens()).containsExactly("[CLS]", "mill", "##race", "runs", ".", "[SEP]");
        assertThat(encoding.start(1)).isEqualTo(1);
        assertThat(encoding.end(2)).isEqualTo(9);
        assertThat(encoding.start(3)).isEqualTo(11);
        assertThat(encoding.isMark(0)).isTrue();
        assertThat(encoding.isMark(1)).isFalse();
    }

    @Test
    void aLetterOfTwoCharsMakesAnAddedTokenAPartOfAWord() throws IOException {
        Tokenizer tokenizer = GoldenTest.tokenizer("byte-level");
        for (String letter : List.of("a", "𝔦", "🦀")) {
            boolean isFound = letter.equals("🦀");
            assertThat(tokenizer.encode(letter + "river").tokens().contains("river"))
                    .as("behind " + letter)
                    .isEqualTo(isFound);
            assertThat(tokenizer.encode("river" + letter).tokens().contains("river"))
                    .as("before " + letter)
                    .isEqualTo(isFound);
        }
    }

    @Test
    void textsOfABatchAreAsLongAsTheLongest() {
        Tokenizer tokenizer = of(WORDS).paddedWith("[PAD]");
        List<Encoding> batch = tokenizer.encodeAll(List.of("a b c", "a"));
        assertThat(batch.get(1).ids()).containsExactly(2, 8, 3, 0, 0);
        assertThat(batch.get(1).mask()).containsExactly(1, 1, 1, 0, 0);
        assertThat(tokenizer.paddedTo(7).encode("a").ids()).containsExactly(2, 8, 3, 0, 0, 0, 0);
        assertThat(of(WORDS).encodeAll(List.of("a b c", "a")).get(1).ids()).containsExactly(2, 8, 3);
    }

    @Test
    void aPieceThatAVocabularyHasTwiceIsTheTextOfBothNumbers() {
        Tokenizer tokenizer = of("""
            {'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['<unk>', 0], ['a', -1], ['b', -1], ['a', -2]]}}
            """);
        assertThat(tokenizer.decode(1, 2, 3)).isEqualTo("a b a");
        assertThat(tokenizer.id("a")).isEqualTo(3);
    }

    @Test
    void tokensAreCutAndFramedByHand() {
        Tokenizer tokenizer = of(WORDS).paddedWith("[PAD]").cutTo(4);
        TextTokens text = tokenizer.tokens("a b c Millrace");
        assertThat(text.size()).isEqualTo(5);
        assertThat(tokenizer.encodeTokens(text.part(1, 3)).tokens()).containsExactly("[CLS]", "b", "c", "[SEP]");
        assertThat(tokenizer.encodeTokens(text.part(0, 1), text.part(3, 5)).types())
                .containsExactly(0, 0, 0, 1, 1, 1);
        assertThat(tokenizer.specialTokens(true)).isEqualTo(3);
        assertThat(tokenizer.withoutMarks().specialTokens(true)).isZero();
        assertThat(tokenizer.mostTokens()).isEqualTo(4);
        assertThat(tokenizer.padToken()).isEqualTo(new PadToken(0, "[PAD]", 0, false));
        TextTokens words = TextTokens.ofWords(List.of(tokenizer.tokens("Millrace"), tokenizer.tokens("a")));
        Encoding encoding = tokenizer.encodeTokens(words);
        assertThat(IntStream.range(0, encoding.length()).map(encoding::word)).containsExactly(-1, 0, 0, 1, -1);
        assertThat(tokenizer.decodeAll(2, 8, 3)).isEqualTo("[CLS] a [SEP]");
        assertThat(Truncation.LONGEST_FIRST.kept(9, 3, 8)).containsExactly(5, 3);
        assertThat(Truncation.ONLY_FIRST.kept(9, 3, 8)).containsExactly(5, 3);
        assertThat(Truncation.ONLY_SECOND.kept(3, 9, 8)).containsExactly(3, 5);
    }

    @Test
    void tokensBelongToWordsAndTexts() {
        Encoding pair = of(WORDS).encode("Millrace runs.", "a");
        assertThat(IntStream.range(0, pair.length()).map(pair::word)).containsExactly(-1, 0, 0, 1, 2, -1, 0, -1);
        assertThat(IntStream.range(0, pair.length()).map(pair::text)).containsExactly(-1, 0, 0, 0, 0, -1, 1, -1);
        assertThat(pair.textTokens()).isEqualTo(5);
        assertThat(of(WORDS)
                        .paddedWith("[PAD]")
                        .paddedTo(9)
                        .unpadded()
                        .encode("a")
                        .length())
                .isEqualTo(3);
    }

    @Test
    void partsOfALongTextBeginWithWholeWords() {
        Tokenizer tokenizer = of(WORDS).cutTo(4);
        assertThat(tokenizer.parts("a Millrace runs", 2))
                .extracting(Encoding::tokens)
                .containsExactly(
                        List.of("[CLS]", "a", "[SEP]"),
                        List.of("[CLS]", "mill", "##race", "[SEP]"),
                        List.of("[CLS]", "runs", "[SEP]"));
        // a word that is longer than a part is cut
        assertThat(tokenizer.parts("Millrace", 1)).extracting(Encoding::length).containsExactly(3, 3);
        assertThat(tokenizer.parts("", 1)).extracting(Encoding::length).containsExactly(2);
        assertThatThrownBy(() -> tokenizer.parts("a", 0)).hasMessageContaining("parts of 0 tokens have no room");
    }

    @Test
    void partsOfAPassageOverlap() {
        Tokenizer tokenizer = of(WORDS);
        assertThat(tokenizer.parts("a", "a b c runs", 7, 1))
                .extracting(Encoding::tokens)
                .containsExactly(
                        List.of("[CLS]", "a", "[SEP]", "a", "b", "c", "[SEP]"),
                        List.of("[CLS]", "a", "[SEP]", "c", "runs", "[SEP]"));
        assertThat(tokenizer.parts("a", "b", 7, 2)).hasSize(1);
        assertThatThrownBy(() -> tokenizer.parts("a", "b", 7, 3))
                .hasMessageContaining("parts of 7 tokens have no room");
    }

    @Test
    void longTextsAreCutWithTheirMarksKept() {
        Tokenizer tokenizer = of(WORDS).cutTo(5);
        assertThat(tokenizer.encode("a b c a b").tokens()).containsExactly("[CLS]", "a", "b", "c", "[SEP]");
        // the longer of two loses first
        assertThat(tokenizer.encode("a b c", "a").tokens()).containsExactly("[CLS]", "a", "[SEP]", "a", "[SEP]");
        assertThat(tokenizer.encode("a", "b").types()).containsExactly(0, 0, 0, 1, 1);
        assertThat(tokenizer.cutTo(1).encode("a").tokens()).containsExactly("[CLS]", "[SEP]");
        assertThat(tokenizer.withoutMarks().encode("a b c a b c").length()).isEqualTo(5);
    }

    @Test
    void whatTheFileSaysOfLengthsHoldsUntilOneSaysOtherwise() {
        String bounded = WORDS.replaceFirst(
                "\\{",
                "{'truncation': {'max_length': 4, 'strategy': 'LongestFirst', 'direction': 'Left'}, 'padding':"
                        + " {'strategy': {'Fixed': 6}, 'direction': 'Left', 'pad_id': 0, 'pad_token': '[PAD]'},");
        assertThat(of(bounded).encode("a b c").tokens()).containsExactly("[PAD]", "[PAD]", "[CLS]", "b", "c", "[SEP]");
        assertThat(of(bounded).encode("a b c").mask()).containsExactly(0, 0, 1, 1, 1, 1);
        assertThat(of(bounded).unbounded().encode("a b c").length()).isEqualTo(5);
    }

    @Test
    void tokensBecomeTextAgain() {
        Tokenizer tokenizer = of(WORDS);
        assertThat(tokenizer.decode(tokenizer.encode("Millrace runs.").ids())).isEqualTo("millrace runs.");
        assertThat(tokenizer.id("mill")).isEqualTo(4);
        assertThat(tokenizer.token(5)).isEqualTo("##race");
        assertThat(tokenizer.token(99)).isNull();
        assertThat(tokenizer.size()).isEqualTo(11);
        assertThatThrownBy(() -> tokenizer.id("mile")).hasMessage("the vocabulary has no token 'mile'");
    }

    @Test
    void unknownBytesAreOneReplacementEach() {
        Tokenizer tokenizer = of("""
            {'model': {'type': 'WordLevel', 'unk_token': '?', 'vocab': {'?': 0, '<0xE2>': 1, '<0x82>': 2, '<0xAC>': 3, 'x': 4}},
             'decoder': {'type': 'Sequence', 'decoders': [{'type': 'ByteFallback'}, {'type': 'Fuse'}]}}
            """);
        assertThat(tokenizer.decode(1, 2, 3, 4)).isEqualTo("€x");
        assertThat(tokenizer.decode(1, 2, 4)).isEqualTo("\ufffd\ufffdx");
        assertThat(of("{'model': {'type': 'WordLevel', 'vocab': {'-': 0, 'a': 1, '|': 2}},"
                                + " 'decoder': {'type': 'CTC', 'pad_token': '-', 'word_delimiter_token': '|'}}")
                        .decode(1, 1, 0, 1, 2, 2, 1))
                .isEqualTo("aa a");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        {} | INVALID_ARGUMENT | tokenizer.model: there is no vocabulary
        {'model_max_length': 512, 'tokenizer_class': 'BertTokenizer'} | INVALID_ARGUMENT | there is no vocabulary
        {'model': {'type': 'Morse', 'vocab': {}}} | NOT_IMPLEMENTED | tokenizer.model: there is no model 'Morse' here
        {'model': {'type': 'WordLevel', 'vocab': {}}, 'normalizer': {'type': 'Rot13'}} | NOT_IMPLEMENTED | tokenizer.normalizer: there is no normalizer 'Rot13' here
        {'model': {'type': 'WordLevel', 'vocab': {}}, 'decoder': {'type': 'x'}} | NOT_IMPLEMENTED | there is no decoder 'x' here
        {'model': {'type': 'WordLevel', 'vocab': {}}, 'pre_tokenizer': {'type': 'Split', 'pattern': {'Regex': '['}}} | INVALID_ARGUMENT | tokenizer.pre_tokenizer.pattern: this regular expression is none of Java's
        {'model': {'type': 'WordLevel', 'vocab': 3}} | INVALID_ARGUMENT | tokenizer.model.vocab: '3.0' stands where an object belongs
        {'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': ['a b']}} | INVALID_ARGUMENT | tokenizer.model.merges[0]: the vocabulary has not all of
        {'model': {'type': 'WordPiece', 'vocab': {}}} | INVALID_ARGUMENT | its vocabulary has no '[UNK]'
        {'model': {'type': 'Unigram', 'unk_id': 7, 'vocab': []}} | INVALID_ARGUMENT | unk_id is 7
        {'model' | INVALID_ARGUMENT | tokenizer is no JSON
        """)
    void whatCannotBeReadIsRefusedWithItsPlace(String json, Status status, String why) {
        assertThatThrownBy(() -> of(json))
                .isInstanceOfSatisfying(
                        EngineException.class,
                        thrown -> assertThat(thrown.status()).isEqualTo(status))
                .hasMessageContaining(why);
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> Tokenizer.read(Path.of("no-such-tokenizer.json")))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("no-such-tokenizer.json");
    }

    @Test
    void aLongWordIsMergedInGoodTime() throws IOException {
        Tokenizer tokenizer = GoldenTest.tokenizer("byte-level");
        assertThat(tokenizer.encode("ab".repeat(100_000)).length()).isGreaterThan(10_000);
    }
}
