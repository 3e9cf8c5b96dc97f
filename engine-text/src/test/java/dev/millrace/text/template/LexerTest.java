package dev.millrace.text.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LexerTest {
    private static List<TemplateToken> tokens(String template) {
        return Lexer.tokens(Source.of(template));
    }

    private static List<String> texts(String template) {
        return tokens(template).stream()
                .filter(token -> token.kind() == TemplateToken.Kind.TEXT)
                .map(TemplateToken::text)
                .toList();
    }

    @Test
    void aTokenKnowsItsKindItsTextAndItsPlace() {
        assertThat(tokens("a{{ b.c >= 'd' }}"))
                .containsExactly(
                        new TemplateToken(TemplateToken.Kind.TEXT, "a", 0),
                        new TemplateToken(TemplateToken.Kind.PRINT_BEGIN, "{{", 1),
                        new TemplateToken(TemplateToken.Kind.NAME, "b", 4),
                        new TemplateToken(TemplateToken.Kind.OPERATOR, ".", 5),
                        new TemplateToken(TemplateToken.Kind.NAME, "c", 6),
                        new TemplateToken(TemplateToken.Kind.OPERATOR, ">=", 8),
                        new TemplateToken(TemplateToken.Kind.STRING, "d", 11),
                        new TemplateToken(TemplateToken.Kind.PRINT_END, "}}", 15),
                        new TemplateToken(TemplateToken.Kind.END, "", 17));
    }

    @Test
    void numbersAreIntegersOrFloats() {
        assertThat(tokens("{{ 1_0 1.5 2e3 0xFf a.0.1 1.x }}").stream()
                        .filter(token ->
                                token.kind() == TemplateToken.Kind.INTEGER || token.kind() == TemplateToken.Kind.FLOAT)
                        .map(token -> token.kind() + " " + token.text()))
                .containsExactly(
                        "INTEGER 1_0", "FLOAT 1.5", "FLOAT 2e3", "INTEGER 0xFf", "INTEGER 0", "INTEGER 1", "INTEGER 1");
    }

    @Test
    void bracketsHideTheEndOfATag() {
        assertThat(tokens("{{ {'a': {}} }}").stream().filter(token -> token.kind() == TemplateToken.Kind.PRINT_END))
                .hasSize(1);
    }

    @Test
    void aLineBreakAfterATagGoes() {
        assertThat(texts("{% if a %}\nb{# c #}\nd{{ e }}\nf")).containsExactly("b", "d", "\nf");
    }

    @Test
    void theIndentationOfATagGoes() {
        assertThat(texts("  {% if a %}b  {% endif %}\n\t {# c #}  {{ d }}")).containsExactly("b  ", "  ");
    }

    @Test
    void aPlusKeepsWhiteSpace() {
        assertThat(texts("  {%+ if a +%}\nb")).containsExactly("  ", "\nb");
    }

    @Test
    void aMinusRemovesWhiteSpace() {
        assertThat(texts("a \n {{- b -}} \n c {%- d -%}\n\n e")).containsExactly("a", "c", "e");
    }

    @Test
    void rawTextIsNotRead() {
        assertThat(texts("{% raw %}{{ a }}{% if %}{% endraw %}b")).containsExactly("{{ a }}{% if %}", "b");
    }

    @Test
    void lineEndsAreThoseOfUnix() {
        assertThat(texts("a\r\nb\rc\n\n")).containsExactly("a\nb\nc\n");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = "-->", quoteCharacter = '`', textBlock = """
        {{ a         --> line 1, column 1: the tag has no end
        a {# b       --> line 1, column 3: the comment has no end
        {% raw %}    --> line 1, column 1: 'raw' has no 'endraw'
        {{ 'a }}     --> line 1, column 4: the string has no end
        {{ a ? b }}  --> line 1, column 6: the character '?' has no meaning here
        {{ (a] }}    --> line 1, column 6: ']' closes no bracket
        {{ '\\x4' }}  --> line 1, column 5: the escape of the string needs 2 hexadecimal digits
        {{ '\\UFFFFFFFF' }} --> the escape of the string
        """)
    void anErrorNamesItsPlace(String template, String message) {
        assertThatThrownBy(() -> tokens(template))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining(message);
    }

    @Test
    void linesAndColumnsCountFromOne() {
        assertThatThrownBy(() -> tokens("one\ntwo\n  {{ ? }}"))
                .isInstanceOf(EngineException.class)
                .hasMessageStartingWith("line 3, column 6: ");
    }
}
