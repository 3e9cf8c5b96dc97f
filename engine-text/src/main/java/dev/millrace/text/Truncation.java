package dev.millrace.text;

/** The text that loses tokens where one or two texts are too long. */
public enum Truncation {
    /** The longer one of two texts, until both are equally long. */
    LONGEST_FIRST {
        @Override
        int[] cut(int first, int second, int room) {
            int few = Math.min(first, second);
            int many = few > room ? few : Math.max(few, room - few);
            if ((long) few + many > room) {
                few = room / 2;
                many = few + room % 2;
            }
            return first <= second ? new int[] {few, many} : new int[] {many, few};
        }
    },
    /** The first text. */
    ONLY_FIRST {
        @Override
        int[] cut(int first, int second, int room) {
            return new int[] {Math.clamp((long) room - second, 0, first), second};
        }
    },
    /** The second text. */
    ONLY_SECOND {
        @Override
        int[] cut(int first, int second, int room) {
            return new int[] {first, Math.clamp((long) room - first, 0, second)};
        }
    };

    abstract int[] cut(int first, int second, int room);

    /** Returns the numbers of tokens that are kept of texts with so many tokens; 0 for the second one of a single text. */
    public int[] kept(int first, int second, int room) {
        return (long) first + second <= room ? new int[] {first, second} : cut(first, second, room);
    }
}
