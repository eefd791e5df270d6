#include "models/data/access_journal.h"

#include <algorithm>
#include <optional>

#include "models/base/errors.h"

namespace kernbench {

// Binding of one read.
class AccessJournal::Read final : public Capture {
 public:
  explicit Read(AccessJournal& journal) : journal_(&journal) {}

  bool bound() const override { return image_.has_value(); }
  const ByteImage& image() const override {
    if (journal_ != nullptr) journal_->resolve();
    if (!image_)
      throw ModelError("a read is evaluated before the accesses of its timestep are ordered");
    return *image_;
  }
  void bind(ByteImage image) {
    image_ = std::move(image);
    journal_ = nullptr;
  }
  void forget() { journal_ = nullptr; }

 private:
  AccessJournal* journal_;  // null: bound, or the journal has been destroyed
  std::optional<ByteImage> image_;
};

AccessJournal::~AccessJournal() {
  for (const Access& access : accesses_) {
    if (access.read) access.read->forget();
  }
}

AccessJournal::Access& AccessJournal::note(const Accessor& by, const PhysRanges& ranges,
                                           bool is_write) {
  if (is_earlier(by.now)) resolve();
  now_ = by.now;
  for (const PhysRange& range : ranges)
    races_.note_access(range.pa, range.nbytes, is_write, by.pe, by.now);
  Access& access = accesses_.emplace_back();
  access.pe = by.pe;
  access.ranges = ranges;
  return access;
}

ByteImage AccessJournal::read(const Accessor& by, const PhysRanges& from) {
  auto read = std::make_shared<Read>(*this);
  note(by, from, false).read = read;
  return ByteImage::of(std::move(read), total_bytes(from));
}

void AccessJournal::write(const Accessor& by, const PhysRanges& to, const ByteImage& image) {
  note(by, to, true).image = image;
}

void AccessJournal::resolve() {
  std::vector<Access> accesses;
  accesses.swap(accesses_);
  std::vector<const Access*> in_order;
  in_order.reserve(accesses.size());
  for (const Access& access : accesses) in_order.push_back(&access);
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Access* a, const Access* b) { return a->pe < b->pe; });
  for (const Access* access : in_order) {
    if (access->read) {
      access->read->bind(memory_.snapshot(access->ranges));
    } else {
      memory_.write_image(access->ranges,
                          access->image);  // all earlier reads of this PE are bound by now
    }
  }
  accesses.clear();
  if (accesses_.empty()) accesses_.swap(accesses);  // keeps its capacity
}

// --- data races ---

void RaceCounter::note_access(std::uint64_t pa, std::uint64_t nbytes, bool is_write,
                              std::uint32_t who, Fs time) {
  if (time != time_) {
    races_ += conflicts_of_instant();
    instant_.clear();
    time_ = time;
  }
  if (nbytes > 0) instant_.push_back({pa, pa + nbytes, who, is_write});
}

std::uint64_t RaceCounter::data_races() const { return races_ + conflicts_of_instant(); }

std::uint64_t RaceCounter::conflicts_of_instant() const {
  if (std::none_of(instant_.begin(), instant_.end(), [](const Access& a) { return a.is_write; }))
    return 0;
  std::vector<Access> sorted = instant_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Access& a, const Access& b) { return a.begin < b.begin; });
  std::uint64_t conflicts = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = i + 1; j < sorted.size() && sorted[j].begin < sorted[i].end; ++j) {
      if (sorted[i].who != sorted[j].who && (sorted[i].is_write || sorted[j].is_write)) ++conflicts;
    }
  }
  return conflicts;
}

}  // namespace kernbench
