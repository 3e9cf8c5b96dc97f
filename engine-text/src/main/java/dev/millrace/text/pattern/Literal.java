package dev.millrace.text.pattern;

import dev.millrace.text.limit.Budget;

/** A search for one text, linear in the length of the searched text (Knuth, Morris and Pratt 1977). */
public final class Literal implements Search {
    private final String sought;
    /**
     * The length of the longest border of each prefix, by the length of the prefix: a shorter prefix with which it
     * ends.
     */
    private final int[] borders;

    public Literal(String sought) {
        this.sought = sought;
        borders = new int[sought.length() + 1];
        int border = 0;
        for (int i = 1; i < sought.length(); i++) {
            while (border > 0 && sought.charAt(i) != sought.charAt(border)) {
                border = borders[border];
            }
            border += sought.charAt(i) == sought.charAt(border) ? 1 : 0;
            borders[i + 1] = border;
        }
    }

    @Override
    public Matches in(String text, Budget budget) {
        return new Matches() {
            private int at;

            @Override
            public boolean next() {
                int same = 0;
                int from = at;
                while (at < text.length() && !sought.isEmpty()) {
                    char each = text.charAt(at++);
                    while (same > 0 && each != sought.charAt(same)) {
                        same = borders[same];
                    }
                    same += each == sought.charAt(same) ? 1 : 0;
                    if (same == sought.length()) {
                        budget.spend(at - from);
                        return true;
                    }
                }
                budget.spend(at - from);
                return false;
            }

            @Override
            public int start() {
                return at - sought.length();
            }

            @Override
            public int end() {
                return at;
            }
        };
    }
}
