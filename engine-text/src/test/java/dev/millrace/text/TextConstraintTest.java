package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.generate.TokenConstraint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Constraints: the tokens that they allow, and what they refuse. */
class TextConstraintTest {
    private static Tokenizer tokenizer;

    @BeforeAll
    static void read() throws IOException {
        tokenizer = GoldenTest.tokenizer("byte-level").withoutMarks();
    }

    private static void refused(Runnable call, String... why) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        EngineException.class,
                        thrown -> assertThat(thrown.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .message()
                .contains(why);
    }

    /** Returns the texts of the tokens that may follow behind a text of an answer. */
    private static List<String> next(TextConstraint constraint, Tokenizer of, String answer) {
        TokenConstraint.State state = constraint.begin(of.encode("A").ids());
        for (long id : of.encode(answer).ids()) {
            state.accept(id);
        }
        return Objects.requireNonNull(state.allowed()).stream()
                .mapToObj(id -> of.decode(of.encode("A").ids()[0], id).substring(1))
                .toList();
    }

    @Test
    void tokensThatGoOnMayFollow() {
        TextConstraint constraint = TextConstraint.regex(tokenizer, "(?:to|tea|the)\\d");
        List<String> begins = next(constraint, tokenizer, "");
        assertThat(begins)
                .contains("t")
                .allSatisfy(text ->
                        assertThat(List.of("to", "te", "tea", "th", "the", "t")).contains(text));
        assertThat(next(constraint, tokenizer, "to")).contains("0", "9").doesNotContain("a", "");
        TokenConstraint.State state = constraint.begin(new long[] {tokenizer.id("A")});
        for (long id : tokenizer.encode("to").ids()) {
            assertThat(state.mayEnd()).isFalse();
            state.accept(id);
        }
        state.accept(tokenizer.id("7"));
        assertThat(state.mayEnd()).isTrue();
        assertThat(state.allowed()).isEqualTo(new BitSet());
        refused(() -> state.accept(tokenizer.id("7")), "none that the constraint allows");
    }

    @Test
    void charactersOfSeveralTokensAreWhole() {
        TextConstraint constraint = TextConstraint.regex(tokenizer, "[🦀🦁]水?");
        long[] crab = tokenizer.encode("🦀").ids();
        TokenConstraint.State state = constraint.begin(crab);
        assertThat(crab.length).isGreaterThan(1);
        for (long id : crab) {
            assertThat(state.mayEnd()).isFalse();
            state.accept(id);
        }
        assertThat(state.mayEnd()).isTrue();
        assertThat(constraint.matches("🦁水")).isTrue();
        assertThat(constraint.matches("🦂")).isFalse();
    }

    @Test
    void addedTokensAreNoText() throws IOException {
        for (String name : List.of("byte-level", "roberta", "byte-fallback", "unigram")) {
            Tokenizer each = GoldenTest.tokenizer(name);
            BitSet allowed =
                    TextConstraint.regex(each, "(?s).*").begin(new long[0]).allowed();
            assertThat(Objects.requireNonNull(allowed).cardinality()).isGreaterThan(50);
            assertThat(allowed.stream()
                            .filter(id -> each.decode(id).isEmpty()
                                    && !each.decode(id, id).equals(" "))
                            .boxed())
                    .as(name)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"byte-fallback, the", "unigram, river"})
    void theSpaceBeforeTheFirstTokenOfATextIsNoPartOfIt(String name, String word) throws IOException {
        Tokenizer each = GoldenTest.tokenizer(name).withoutMarks();
        TextConstraint constraint = TextConstraint.regex(each, word + ".*");
        long spaced = each.id("▁" + word);
        assertThat(constraint.begin(new long[0]).allowed()).matches(set -> set.get((int) spaced), "behind nothing");
        assertThat(constraint.begin(each.encode(word).ids()).allowed())
                .matches(set -> !set.get((int) spaced) && !set.isEmpty(), "behind text");
        TokenConstraint.State state = constraint.begin(new long[0]);
        state.accept(spaced);
        assertThat(state.mayEnd()).isTrue();
    }

    @Test
    void textIsMadeOfTheCharactersThatTheVocabularyHas() {
        Tokenizer few = Tokenizer.of("""
            {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "é": 2, "ê!": 3}, "merges": []}, "decoder": {"type": "Fuse"}}
            """.getBytes(StandardCharsets.UTF_8));
        TextConstraint constraint = TextConstraint.regex(few, "a(?:bz|é|ê)");
        assertThat(constraint.matches("aé")).isTrue();
        TokenConstraint.State state = constraint.begin(new long[0]);
        state.accept(0);
        // behind b there would be no way on
        assertThat(Objects.requireNonNull(state.allowed()).stream()).containsExactly(2);
        refused(() -> TextConstraint.regex(few, "ab?z"), "describes no text", "vocabulary");
    }

    @Test
    void tokenizersThatJoinTokensInOtherWaysAreRefused() throws IOException {
        Tokenizer wordPiece = GoldenTest.tokenizer("minilm");
        refused(() -> TextConstraint.json(wordPiece), "the decoder of this one is WordPiece");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            quoteCharacter = '`',
            value = {
                "a+b a,b,aab,ab",
                "^(?:yes|no)$ yes,no",
                "[^\\W_]{2,3} ab,a1Z",
                "\\d{3}-\\d{4} 555-1234",
                "(a|b)*?c c,abc",
                "(?i)mill MILL,miLl",
                "x{0} ``",
                "\\Qa.b\\E a.b",
                "[à-ü]+ äöü",
                "\\p{L}\\p{L} 水é",
                "(?:(?:a?){2}){2} a,aaaa"
            })
    void textsOfARegularExpressionMatch(String pattern, String texts) {
        TextConstraint constraint = TextConstraint.regex(tokenizer, pattern);
        for (String text : texts.split(",", -1)) {
            assertThat(constraint.matches(text)).as(text).isEqualTo(text.matches(pattern));
        }
        assertThat(constraint.matches(texts + "\n")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
        (a)\\1 ; \\1
        a(?=b) ; a look ahead or behind
        (?<!b)a ; a look ahead or behind
        a++b ; a possessive quantifier
        \\bmill\\b ; a word border
        a(?:^b|c) ; an anchor that is not at an end
        (?m)^a$ ; an anchor that is not at an end
        (a ; is no regular expression of Java's
        [^\\x{0}-\\x{10ffff}] ; describes no text
        a{200001} ; too large
        """)
    void otherExpressionsAreRefused(String pattern, String why) {
        refused(() -> TextConstraint.regex(tokenizer, pattern), why);
    }

    @Test
    void hostileExpressionsAreRefused() {
        refused(() -> TextConstraint.regex(tokenizer, "(".repeat(5000) + ")".repeat(5000)), "groups");
        refused(() -> TextConstraint.regex(tokenizer, "(?:".repeat(500) + "a" + ")*".repeat(500)), "deep");
        refused(() -> TextConstraint.regex(tokenizer, "a".repeat(100_000)), "characters");
        String sets = IntStream.range(0, 500)
                .mapToObj(i -> "[^" + Character.toString(0x4e00 + i) + "]")
                .reduce("", String::concat);
        refused(() -> TextConstraint.regex(tokenizer, sets), "sets of characters");
        refused(() -> TextConstraint.regex(tokenizer, "(?:(?:(?:a?){99}b?){99}c?){50}"), "too ambiguous");
    }

    private static final String CHESS = """
        # a game of moves
        root  ::= (move " ")+ result?   # the end
        move  ::= piece? [a-h] [1-8]
                | "O-O" ("-O")?
        """.replace("\n        |", " |\n") + """
        piece ::= [KQRBN]
        result ::= ("1-0" |
            "0-1") "\\n" {0,2} "\\x21" . [^a-z\\]]
        """;

    @Test
    void textsOfAGrammarMatch() {
        TextConstraint chess = TextConstraint.grammar(tokenizer, CHESS.replace("\n                |", "|"));
        assertThat(List.of("e4 ", "Ke4 O-O O-O-O ", "e4 1-0\n!xA", "e4 0-1!\n水"))
                .allMatch(chess::matches);
        assertThat(List.of("", "e4", "e9 ", "e4 1-0!xa", "e4 1-0\n\n\n!xA", "e4 1-0!x]"))
                .noneMatch(chess::matches);
    }

    @Test
    void aGrammarOfJsonReadsJson() {
        TextConstraint json = TextConstraint.grammar(tokenizer, """
            root   ::= value
            value  ::= (object | list | text | [0-9]+ | "true" | "null") gap
            object ::=
              "{" gap (
                text ":" gap value
                ("," gap text ":" gap value)*
              )? "}"
            list   ::= "[" gap (value ("," gap value)*)? "]"
            text   ::= "\\"" (
                [^"\\\\\\x7F\\x00-\\x1F] |   # any but a quotation mark
                "\\\\" (["\\\\nt] | "u" [0-9a-fA-F]{4})
              )* "\\"" gap
            gap    ::= [ \\n]{0,3}
            """);
        assertThat(List.of("{\"a\": [1, true], \"é\\n\": {}}", "[ ]\n", "\"\\u00e9\""))
                .allMatch(json::matches);
        assertThat(List.of("{\"a\": }", "[1,]", "\"\n\"", "\"\\x\"", "1    ")).noneMatch(json::matches);
    }

    @Test
    void aGrammarMayNest() {
        TextConstraint nested = TextConstraint.grammar(tokenizer, "root ::= \"(\" root \")\" | \"x\"");
        assertThat(nested.matches("((x))")).isTrue();
        assertThat(nested.matches("((x)")).isFalse();
        assertThat(nested.matches("(".repeat(200) + "x" + ")".repeat(200))).isTrue();
        assertThat(nested.matches("(".repeat(300) + "x" + ")".repeat(300))).isFalse();
        // calls at the end of a rule are no nesting
        TextConstraint list = TextConstraint.grammar(tokenizer, "root ::= \"x\" root | \"\"");
        assertThat(list.matches("x".repeat(10_000))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        a ::= "x" | no rule 'root'
        root ::= other | the rule 'other' and does not define it
        root ::= "x | line 1, column 12: the line ends within a literal
        root ::= [b-a] | ends before it begins
        root ::= "\\q" | no escape
        root ::= "\\ud800" | no character d800
        root ::= ("x" | a ')' is missing
        root ::= "x") | ')' is not expected
        root ::= "x"{2 | a '}' is missing
        root ::= "x"{3,2} | fewer than the fewest
        root ::= "x"{x} | a number of repetitions
        root ::= "x"{999999999999} | more than 100000 repetitions
        root ::= root "x" @ "y" | left-recursive
        root ::= "a"? root "x" @ "y" | left-recursive
        root ::= other @ "y"#other ::= root "x" | left-recursive
        root ::= "x" root | describes no text
        root ::= <think> | references to tokens are not supported
        root = "x" | '::=' belongs behind the name
        root ::= "x"#root ::= "y" | defined twice
        ::= | a rule begins with its name
        """)
    void otherGrammarsAreRefused(String grammar, String why) {
        String text = grammar.replace('#', '\n').replace('@', '|');
        refused(() -> TextConstraint.grammar(tokenizer, text), why);
    }

    @Test
    void hostileGrammarsAreRefused() {
        refused(() -> TextConstraint.grammar(tokenizer, "root ::= " + "(".repeat(5000)), "deep");
        refused(() -> TextConstraint.grammar(tokenizer, "root ::= \"x\"" + "*".repeat(5000)), "deep");
        var chain = new StringBuilder("root ::= r0\n");
        for (int i = 0; i < 2000; i++) {
            chain.append("r%d ::= r%d r%d\n".formatted(i, i + 1, i + 1));
        }
        refused(() -> TextConstraint.grammar(tokenizer, chain + "r2000 ::= \"x\""), "256");
        refused(() -> TextConstraint.grammar(tokenizer, "root ::= \"x\" ".repeat(50_000)), "characters");
        TextConstraint ambiguous =
                TextConstraint.grammar(tokenizer, "root ::= s\ns ::= \"a\" s s | \"a\" s \"b\" | \"a\" s s s | \"\"");
        refused(() -> ambiguous.matches("a".repeat(300)), "too ambiguous");
    }
}
