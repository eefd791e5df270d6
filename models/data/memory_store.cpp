#include "models/data/memory_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "models/address/phys_addr.h"
#include "models/base/errors.h"

namespace kernbench {
namespace {

constexpr std::uint64_t page_bytes = MemoryStore::page_bytes;

void check_range(std::uint64_t pa, std::uint64_t nbytes) {
  if (pa <= PhysAddr::end && nbytes <= PhysAddr::end - pa) return;
  char text[96];
  std::snprintf(text, sizeof text,
                "memory access at 0x%llx of %llu bytes lies beyond the physical address space",
                static_cast<unsigned long long>(pa), static_cast<unsigned long long>(nbytes));
  throw AddressError(text);
}

// Calls visit(page index, offset in page, bytes, offset from pa) for every page that the range
// touches.
template <class Visit>
void for_each_page(std::uint64_t pa, std::uint64_t nbytes, Visit visit) {
  for (std::uint64_t done = 0; done < nbytes;) {
    const std::uint64_t index = (pa + done) / page_bytes, offset = (pa + done) % page_bytes;
    const std::uint64_t count = std::min(page_bytes - offset, nbytes - done);
    visit(index, offset, count, done);
    done += count;
  }
}

// Doubling copies: the pattern repeats, starting at its byte `phase`.
void repeat(std::byte* out, std::uint64_t nbytes, const std::byte* pattern,
            std::uint64_t pattern_bytes, std::uint64_t phase) {
  std::uint64_t done = std::min(nbytes, pattern_bytes);
  for (std::uint64_t i = 0; i < done; ++i) out[i] = pattern[(phase + i) % pattern_bytes];
  while (done < nbytes) {
    const std::uint64_t count = std::min(done, nbytes - done);
    std::memcpy(out + done, out, count);
    done += count;
  }
}

}  // namespace

SharedBytes MemoryStore::Page::part(std::uint64_t offset, std::uint64_t nbytes) const {
  constexpr std::size_t most_copies = 64;
  if (nbytes >= page_bytes / 2) return SharedBytes(bytes, bytes.get() + offset);
  const auto key =
      std::make_pair(static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(nbytes));
  if (const auto known = copies.find(key); known != copies.end()) {
    if (SharedBytes copy = known->second.lock()) return copy;
  } else if (copies.size() == most_copies) {
    copies.clear();
  }
  SharedBytes copy = make_shared_bytes(nbytes, false);
  std::memcpy(copy.get(), bytes.get() + offset, nbytes);
  copies[key] = copy;
  return copy;
}

void MemoryStore::Page::replace(SharedBytes other) {
  bytes = std::move(other);
  copies.clear();
}

std::byte* MemoryStore::writable_page(std::uint64_t index, bool whole) {
  Page& entry = pages_[index];
  entry.copies.clear();
  SharedBytes& page = entry.bytes;
  if (!page) {
    page = make_shared_bytes(page_bytes, !whole);
  } else if (page.use_count() > 1) {
    SharedBytes copy = make_shared_bytes(page_bytes, false);
    if (!whole) std::memcpy(copy.get(), page.get(), page_bytes);
    page = std::move(copy);
  } else {
    // Another thread may have dropped the last snapshot just now: its reads precede our writes.
    std::atomic_thread_fence(std::memory_order_acquire);
  }
  return page.get();
}

void MemoryStore::forget_values(std::uint64_t begin, std::uint64_t end) {
  auto range = pending_.upper_bound(begin);
  if (range != pending_.begin()) {
    const auto before = std::prev(range);
    PendingRange& left = before->second;
    if (left.end > begin) {
      if (left.end > end)
        pending_.emplace_hint(
            range, end,
            PendingRange{left.end, left.id, left.offset + (end - before->first), left.keeper});
      if (before->first == begin) {
        pending_.erase(before);
      } else {
        left.end = begin;
      }
    }
  }
  range = pending_.lower_bound(begin);
  while (range != pending_.end() && range->first < end) {
    if (range->second.end > end) {
      const PendingRange& right = range->second;
      pending_.emplace(end, PendingRange{right.end, right.id, right.offset + (end - range->first),
                                         right.keeper});
    }
    range = pending_.erase(range);
  }
}

void MemoryStore::write_bytes(std::uint64_t pa, const void* data, std::uint64_t nbytes) {
  check_range(pa, nbytes);
  if (nbytes == 0) return;
  forget_values(pa, pa + nbytes);
  for_each_page(
      pa, nbytes,
      [&](std::uint64_t index, std::uint64_t offset, std::uint64_t count, std::uint64_t done) {
        std::memcpy(writable_page(index, count == page_bytes) + offset,
                    static_cast<const std::byte*>(data) + done, count);
      });
}

void MemoryStore::fill(std::uint64_t pa, std::uint64_t nbytes, const void* pattern,
                       std::uint64_t pattern_bytes) {
  if (pattern_bytes == 0 || page_bytes % pattern_bytes != 0)
    throw ModelError("a fill pattern has 1, 2, 4 or 8 bytes");
  const auto* bytes = static_cast<const std::byte*>(pattern);
  if (std::all_of(bytes, bytes + pattern_bytes, [](std::byte b) { return b == std::byte{0}; }))
    return clear(pa, nbytes);
  check_range(pa, nbytes);
  if (nbytes == 0) return;
  forget_values(pa, pa + nbytes);
  SharedBytes whole_page;
  for_each_page(
      pa, nbytes,
      [&](std::uint64_t index, std::uint64_t offset, std::uint64_t count, std::uint64_t done) {
        if (count < page_bytes)
          return repeat(writable_page(index, false) + offset, count, bytes, pattern_bytes,
                        done % pattern_bytes);
        if (!whole_page) {
          whole_page = make_shared_bytes(page_bytes, false);
          repeat(whole_page.get(), page_bytes, bytes, pattern_bytes, done % pattern_bytes);
        }
        pages_[index].replace(whole_page);
      });
}

void MemoryStore::clear(std::uint64_t pa, std::uint64_t nbytes) {
  check_range(pa, nbytes);
  if (nbytes == 0) return;
  const std::uint64_t end = pa + nbytes;
  forget_values(pa, end);
  drop_whole_pages(pa, end);
  for (auto page = pages_.lower_bound(pa / page_bytes);
       page != pages_.end() && page->first * page_bytes < end; ++page) {
    const std::uint64_t begin = page->first * page_bytes, from = std::max(begin, pa),
                        to = std::min(begin + page_bytes, end);
    std::memset(writable_page(page->first, false) + (from - begin), 0, to - from);
  }
}

void MemoryStore::drop_whole_pages(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = (begin + page_bytes - 1) / page_bytes, last = end / page_bytes;
  if (first < last) pages_.erase(pages_.lower_bound(first), pages_.lower_bound(last));
}

void MemoryStore::write_value(std::uint64_t pa, const ValueRef& ref) {
  check_range(pa, ref.nbytes);
  if (ref.nbytes == 0) return;
  const std::uint64_t end = pa + ref.nbytes;
  PendingRange range{end, ref.id, ref.offset, ref.keeper};
  // A result stored at the place of the previous one: nothing has been written there since.
  if (const auto same = pending_.find(pa); same != pending_.end() && same->second.end == end) {
    std::swap(same->second, range);
    return;
  }
  forget_values(pa, end);
  drop_whole_pages(pa, end);
  pending_.emplace(pa, std::move(range));
}

void MemoryStore::write_image(std::uint64_t pa, const ByteImage& image) {
  check_range(pa, image.nbytes());
  for (const Segment& segment : image.segments()) {
    switch (segment.kind) {
      case Segment::Kind::zeros:
        clear(pa, segment.nbytes);
        break;
      case Segment::Kind::value:
        write_value(pa, {segment.value, segment.offset, segment.nbytes, segment.keeper()});
        break;
      case Segment::Kind::bytes:
        forget_values(pa, pa + segment.nbytes);
        for_each_page(pa, segment.nbytes,
                      [&](std::uint64_t index, std::uint64_t offset, std::uint64_t count,
                          std::uint64_t done) {
                        if (count == page_bytes) {
                          const SharedBytes bytes = segment.bytes();  // shared until the next write
                          pages_[index].replace(SharedBytes(bytes, bytes.get() + done));
                        } else {
                          std::memcpy(writable_page(index, false) + offset, segment.data() + done,
                                      count);
                        }
                      });
        break;
      case Segment::Kind::capture:
        write_image(pa, segment.capture().image().slice(segment.offset, segment.nbytes));
        break;
    }
    pa += segment.nbytes;
  }
}

void MemoryStore::write_image(const PhysRanges& ranges, const ByteImage& image) {
  if (total_bytes(ranges) != image.nbytes()) {
    throw ModelError(fmt::format("{} bytes do not fill ranges of {} bytes", image.nbytes(),
                                 total_bytes(ranges)));
  }
  if (ranges.size() == 1) return write_image(ranges.front().pa, image);
  std::uint64_t done = 0;
  ImageCursor cursor(image);
  for (const PhysRange& range : ranges) {
    ByteImage part;
    cursor.append_to(part, done, range.nbytes);
    write_image(range.pa, part);
    done += range.nbytes;
  }
}

void MemoryStore::append_known(ByteImage& image, std::uint64_t begin, std::uint64_t end) const {
  for (auto page = pages_.lower_bound(begin / page_bytes); begin < end; ++page) {
    const std::uint64_t page_begin =
        page == pages_.end() ? end : std::min(end, page->first * page_bytes);
    if (page_begin > begin) {
      image.append(Segment::of_zeros(page_begin - begin));
      begin = page_begin;
    }
    if (begin == end) return;
    const std::uint64_t offset = begin - page->first * page_bytes,
                        count = std::min(page_bytes - offset, end - begin);
    image.append(Segment::of_bytes(page->second.part(offset, count), count));
    begin += count;
  }
}

ByteImage MemoryStore::snapshot(std::uint64_t pa, std::uint64_t nbytes) const {
  check_range(pa, nbytes);
  ByteImage image;
  const std::uint64_t end = pa + nbytes;
  auto range = pending_.upper_bound(pa);
  if (range != pending_.begin() && std::prev(range)->second.end > pa) --range;
  for (; pa < end; ++range) {
    const std::uint64_t known_end =
        range == pending_.end() ? end : std::min(end, std::max(pa, range->first));
    append_known(image, pa, known_end);
    pa = known_end;
    if (pa == end) break;
    const PendingRange& pending = range->second;
    const std::uint64_t count = std::min(pending.end, end) - pa;
    image.append(Segment::of_value(
        {pending.id, pending.offset + (pa - range->first), count, pending.keeper}));
    pa += count;
  }
  return image;
}

ByteImage MemoryStore::snapshot(const PhysRanges& ranges) const {
  if (ranges.size() == 1) return snapshot(ranges.front().pa, ranges.front().nbytes);
  ByteImage image;
  for (const PhysRange& range : ranges) image.append(snapshot(range.pa, range.nbytes));
  // References to many small pieces would keep whole pages, and cost more than the bytes.
  constexpr std::uint64_t many = 16, small_bytes = 512;
  if (ranges.size() > many && image.known() &&
      image.nbytes() / image.segments().size() < small_bytes)
    return ByteImage::of(image.flatten(), image.nbytes());
  return image;
}

std::vector<std::byte> MemoryStore::read_bytes(std::uint64_t pa, std::uint64_t nbytes) const {
  std::vector<std::byte> bytes(nbytes);
  snapshot(pa, nbytes).copy_to(bytes.data());
  return bytes;
}

bool MemoryStore::known(std::uint64_t pa, std::uint64_t nbytes) const {
  return snapshot(pa, nbytes).known();
}

std::vector<ValueId> MemoryStore::value_ids() const {
  std::vector<ValueId> ids;
  for (const auto& range : pending_) ids.push_back(range.second.id);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace kernbench
