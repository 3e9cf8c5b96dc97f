package dev.millrace.text.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ranges of sets of characters are those of {@link Pattern}, character by character. */
class CharSetTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\\d",
                "\\W",
                "\\S",
                "\\h",
                "\\v",
                ".",
                "[a-f]",
                "[^a-f]",
                "[\\w.-]",
                "[^\\]\\\\]",
                "[à-ü]",
                "[^à]",
                "\\p{L}",
                "\\x{41}",
                "\\x{e9}",
                "\\x{1f980}",
                "[🦀-🦂]",
                "[a-z&&[^x]]",
                "[\\S]",
                "[k]",
                "[\\x{80}-\\x{ff}]",
                "[^&]",
                "[a^]"
            })
    void rangesAreAllCharactersOfASet(String expression) {
        for (int flags :
                new int[] {0, Pattern.CASE_INSENSITIVE, Pattern.UNICODE_CHARACTER_CLASS | Pattern.CASE_INSENSITIVE}) {
            Pattern pattern = Pattern.compile(expression, flags);
            int[] ranges = new CharSet(expression, flags).ranges();
            int at = 0;
            for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
                at += at < ranges.length && point > ranges[at + 1] ? 2 : 0;
                boolean isIn = at < ranges.length && point >= ranges[at];
                boolean isSurrogate = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
                if (!isSurrogate
                        && isIn != pattern.matcher(Character.toString(point)).matches()) {
                    assertThat(isIn).as("%s %d %x", expression, flags, point).isEqualTo(!isIn);
                }
            }
        }
    }
}
