package dev.millrace.text.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TextSetTest {
    private static String word(Random random, int longest) {
        var word = new StringBuilder();
        for (int i = random.nextInt(longest + 1); i > 0; i--) {
            word.append("ab水".charAt(random.nextInt(3)));
        }
        return word.toString();
    }

    @Test
    void everyTextIsFoundWhereItIs() {
        var random = new Random(3);
        for (int attempt = 0; attempt < 500; attempt++) {
            List<String> texts = Stream.generate(() -> word(random, 5))
                    .limit(random.nextInt(20))
                    .toList();
            TextSet set = TextSet.of(texts);
            String text = word(random, 40);
            var found = new TreeSet<String>();
            var expected = new TreeSet<String>();
            int node = 0;
            for (int end = 1; end <= text.length(); end++) {
                node = set.next(node, text.charAt(end - 1));
                var lengths = new ArrayList<Integer>();
                for (int at = set.longestText(node); at > 0; at = set.shorterText(at)) {
                    int length = set.length(set.value(at));
                    lengths.addFirst(length);
                    found.add(texts.get(set.value(at)) + " " + (end - length));
                }
                assertThat(lengths).isSorted();
                for (String each : texts) {
                    if (!each.isEmpty() && text.startsWith(each, end - each.length())) {
                        expected.add(each + " " + (end - each.length()));
                    }
                }
            }
            assertThat(found).isEqualTo(expected);
        }
    }
}
