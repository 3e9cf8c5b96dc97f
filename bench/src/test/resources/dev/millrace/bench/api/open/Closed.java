package open;

class Closed {
    public void unseen() {}

    public static class Inside {
        public void unseen() {}
    }
}
